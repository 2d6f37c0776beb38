import { HivekeepError, type Issue } from '@hivekeep/contracts';
import { decodeValues, GoMap } from '@hivekeep/goyaml';
import { chartError, issuesOf } from '../problems.ts';
import { requirementsProblems } from '../requirements/read-requirements.ts';
import type { Chart } from './chart.ts';
import { CHART_LIMITS } from './chart-limits.ts';
import { readChartMetadata } from './chart-metadata.ts';

/** Members at the top of a chart, besides the folders `templates` and `files`. */
export const TOP_MEMBERS = ['Chart.yaml', 'values.yaml', 'values.schema.json', 'requirements.yaml', 'README.md'] as const;

/** Whether a path is read: a member, a template (never below a folder of its own) or a file. */
export function isMember(path: string): boolean {
  return TOP_MEMBERS.some((member) => member === path) || /^templates\/[^/]+$/.test(path) || /^files\/.+$/s.test(path);
}

/** Collects what a chart consists of, within the limits of one chart, and makes the chart of it. */
export class ChartMembers {
  /** The chart for people: its path or address. */
  readonly #origin: string;
  readonly #members = new Map<string, Uint8Array>();
  readonly #issues: Issue[] = [];
  #files = 0;
  #bytes = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Counts a file before it is read. Throws `source/too-large`. */
  count(path: string, size: number): void {
    const { fileBytes, files, totalBytes } = CHART_LIMITS;
    this.#files += 1;
    this.#bytes += size;
    if (size > fileBytes) throw this.#tooLarge(`${path} has ${size} bytes; a file of a chart has at most ${fileBytes}`);
    if (this.#files > files) throw this.#tooLarge(`it has more than ${files} files; ${path} would be the next`);
    if (this.#bytes > totalBytes) throw this.#tooLarge(`its files have more than ${totalBytes} bytes together; ${path} is the last`);
  }

  /** Takes a member; a later one of the same path replaces it. */
  add(path: string, bytes: Uint8Array): void {
    this.#members.set(path, bytes);
  }

  /** Notes what can't be taken. */
  refuse(path: string, message: string): void {
    this.#issues.push({ file: this.#place(path), message });
  }

  /** Throws `chart/invalid` with everything wrong in any of its files. */
  chart(): Chart {
    const rawMetadata = this.#members.get('Chart.yaml') ?? new Uint8Array();
    const metadata = readChartMetadata(rawMetadata, this.#place('Chart.yaml'));
    const values = this.#values();
    const requirements = this.#members.get('requirements.yaml');
    const templates = this.#below('templates/');
    const files = this.#below('files/');
    this.#issues.push(...metadata.issues, ...values.issues);
    if (requirements) this.#issues.push(...requirementsProblems(requirements, this.#place('requirements.yaml')));
    if (templates.size === 0)
      this.#issues.push({ file: this.#place('templates'), message: 'a chart needs at least one template: a file in the folder templates' });
    if (this.#issues.length > 0 || metadata.value === undefined) throw chartError(this.#issues);
    const [rawValues, schema, readme] = ['values.yaml', 'values.schema.json', 'README.md'].map((path) => this.#members.get(path));
    return {
      metadata: metadata.value,
      rawMetadata,
      values: values.value,
      ...(rawValues && { rawValues }),
      ...(schema && { schema }),
      ...(requirements && { requirements }),
      ...(readme && { readme }),
      templates,
      files: files.size > 0 ? files : null,
    };
  }

  #values(): { value: GoMap; issues: Issue[] } {
    const file = this.#place('values.yaml');
    try {
      return { value: decodeValues(this.#members.get('values.yaml') ?? '', { file }), issues: [] };
    } catch (error) {
      return { value: new GoMap(), issues: issuesOf(error, file) };
    }
  }

  #below(folder: string): Map<string, Uint8Array> {
    return new Map(
      [...this.#members].filter(([path]) => path.startsWith(folder)).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  }

  #place(path: string): string {
    return this.#origin === '' ? path : `${this.#origin}/${path}`;
  }

  #tooLarge(message: string): HivekeepError {
    return new HivekeepError('source/too-large', `the chart ${this.#origin}: ${message}`);
  }
}
