import { initialStatus, type View } from '@hivekeep/contracts';
import { aSpec } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { ApplicationList } from './application-list.ts';

const view = (name: string, error: string): View => ({ spec: aSpec({ name }), status: { ...initialStatus(), error, releases: [] } });
const told = (body: Buffer) =>
  (JSON.parse(body.toString()) as { applications: View[] }).applications.map(({ spec, status }) => [
    spec.name,
    status.error,
    'releases' in status,
  ]);

it('is made anew only for what has changed, whatever was asked for before', () => {
  const list = new ApplicationList();
  const [shop, blog] = [view('shop', 'é'), view('blog', 'old')];
  expect(told(list.body([]))).toEqual([]);
  const first = list.body([shop, blog]);
  expect(told(first)).toEqual([
    ['shop', 'é', false],
    ['blog', 'old', false],
  ]);
  expect(list.body([shop, blog])).toBe(first);
  expect(told(list.body([shop, view('blog', 'new')]))).toEqual([
    ['shop', 'é', false],
    ['blog', 'new', false],
  ]);
  expect(told(list.body([blog]))).toEqual([['blog', 'old', false]]);
  expect(told(list.body([blog, shop]))).toHaveLength(2);
});
