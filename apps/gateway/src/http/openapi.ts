import { type Endpoint, httpApi, Problem } from '@hivekeep/contracts';
import { z } from 'zod';

/** OpenAPI 3.1 of every declared endpoint; schemas are those the services check with. */
export function openApiDocument(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> & { Problem?: unknown } = {};
  const json = (schema: z.ZodType) => ({ 'application/json': { schema: schemaOf(schema, schemas) } });
  schemas.Problem = schemaOf(Problem, schemas);
  for (const endpoint of Object.values<Endpoint>(httpApi)) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, json) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Hivekeep', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas,
      responses: {
        Problem: { description: 'Why not', content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
      },
    },
  };
}

function operation(endpoint: Endpoint, json: (schema: z.ZodType) => unknown): Record<string, unknown> {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = endpoint.query.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } }));
  const stream = endpoint.id === 'events';
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    parameters: [...inPath, ...inQuery],
    ...(endpoint.method === 'POST' && { requestBody: { required: false, content: json(endpoint.body) } }),
    responses: {
      [endpoint.status]: {
        description: endpoint.summary,
        content: stream ? { 'text/event-stream': { schema: { type: 'string' } } } : json(endpoint.reply),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

/**
 * Named parts go to `named`, where the document's references find them. Open enums are transforms, which JSON Schema has
 * no word for: the wire side (a string) is described.
 */
function schemaOf(schema: z.ZodType, named: Record<string, unknown>): unknown {
  const { $schema: _dialect, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { $defs, ...rest } = JSON.parse(JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/'));
  Object.assign(named, $defs);
  return rest;
}
