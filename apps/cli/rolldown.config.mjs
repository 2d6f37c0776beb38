import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'rolldown';

/**
 * One file for each entry: `main.js` is the command without Nest, so that it starts fast; it imports the others, which lie
 * beside it, when they are asked for. Set HIVEKEEP_OUT to build into another folder than `out`.
 */
const here = import.meta.dirname;
const entries = {
  main: 'src/main.ts',
  up: 'src/services/up.ts',
  source: 'src/services/source.ts',
  reconciler: 'src/services/reconciler.ts',
  'node-agent': 'src/services/node-agent.ts',
  gateway: 'src/services/gateway.ts',
  demo: 'src/demo/run-demo.ts',
  deploy: 'src/deploy/run-deploy.ts',
  chart: 'src/chart/run-chart.ts',
  eval: 'src/commands/eval-action.ts',
};

/** What a person runs: told apart from what runs for long. */
const commands = ['main', 'demo', 'chart', 'eval'];

/** Optional peers of Nest that we do not install: nothing reaches them. */
const absent =
  /^(@nestjs\/(websockets|platform-express)|mqtt$|ioredis$|amqplib$|amqp-connection-manager$|kafkajs$|cache-manager$|class-validator|class-transformer|@fastify\/(static|view|multipart)$|@apidevtools\/)/;

/** Nest's use of @grpc/* is behind a transport that is not installed. */
function isExternal(id, importer) {
  return absent.test(id) || (id.startsWith('@grpc/') && (importer ?? '').includes('@nestjs'));
}

/**
 * dockerode loads its clients of BuildKit (@grpc/*, protobufjs) and of engines behind ssh at once. We call neither, and they would take a fifth
 * of an agent's memory.
 */
const unused = {
  name: 'unused',
  resolveId: {
    filter: { id: /^(@grpc\/|ssh2$|protobufjs$)/ },
    handler: (_id, importer) => (/\/(dockerode|docker-modem)\//.test(importer ?? '') ? 'unused.cjs' : null),
  },
  load: { filter: { id: /^unused\.cjs$/ }, handler: () => 'module.exports = {};' },
};

/** Nest asks for the NATS client through `createRequire`, which no bundler sees. */
const staticNats = {
  name: 'static-nats',
  transform: {
    filter: { id: /@nestjs\/microservices\/client\/client-nats\.js$/ },
    handler: (code) => ({
      code: `import * as __nats from '@nats-io/transport-node';\n${code.replace("createRequire(import.meta.url)('@nats-io/transport-node')", '__nats')}`,
      map: null,
    }),
  },
};

function bundle([name, file]) {
  return {
    input: { [name]: join(here, file) },
    cwd: here,
    platform: 'node',
    tsconfig: join(here, 'tsconfig.json'),
    external: isExternal,
    logLevel: 'warn',
    plugins: [staticNats, unused],
    output: {
      dir: process.env.HIVEKEEP_OUT ?? join(here, 'out'),
      format: 'esm',
      keepNames: true,
      // less to parse, and to keep in memory; a service's stack traces go through its source map
      minify: !commands.includes(name),
      // reflect-metadata has to run before the first decorator: one chunk, in the order of the imports
      codeSplitting: false,
      strictExecutionOrder: true,
      sourcemap: true,
    },
  };
}

export default defineConfig(
  Object.entries(entries)
    .filter(([, file]) => existsSync(join(here, file)))
    .map(bundle),
);
