import { decode, decodeNodes, encode } from '@hivekeep/goyaml';
import { fuzz, nearly, yamlWords } from './lib/fuzz.ts';

await fuzz('yaml', nearly(yamlWords), (text) => {
  decodeNodes(text, { file: 'a.yaml' });
  const write = () => encode(decode(text, { file: 'a.yaml' }), { indent: 2 });
  const first = write();
  if (write() !== first) throw new Error('two writings differ');
});
