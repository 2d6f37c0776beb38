/** `$schema` as authors write it; the empty one is a schema without. */
export const dialects = [
  ...['', 'http://json-schema.org/draft-04/schema#', 'http://json-schema.org/draft-06/schema#', 'http://json-schema.org/draft-07/schema#'],
  ...['https://json-schema.org/draft/2019-09/schema', 'http://json-schema.org/draft-03/schema#'],
];

const ofA = (schema: unknown) => ({ properties: { a: schema } });
const named = (key: string) => ({ [key]: { text: { type: 'string' } }, ...ofA({ $ref: `#/${key}/text`, minLength: 3 }) });

/** What charts say about their values, and what readers of JSON Schema are known to differ in. */
export const schemas: readonly unknown[] = [
  ...[true, false, [], 3, null, {}],
  ...['string', 'integer', 'number', 'boolean', 'array', 'object', 'null', 'any', ['string', 'null']].map((type) => ofA({ type })),
  ...['email', 'ipv4', 'date', 'hostname', 'nonsense'].map((format) => ofA({ format })),
  ...[{ minimum: 1 }, { exclusiveMinimum: 1 }, { minimum: 1, exclusiveMinimum: true }, { maximum: 1.5 }, { minimum: '1' }].map(ofA),
  ...[{ multipleOf: 0.1 }, { multipleOf: 2 }, { minLength: 3 }, { maxLength: 2 }, { minLength: -1 }, { maxItems: 1 }].map(ofA),
  ...[{ pattern: '^\\d+$' }, { pattern: '(?=x)' }, { pattern: '(' }, { const: 1 }, { enum: [1, 'x', null, [1], { b: 1 }] }].map(ofA),
  ...[{ uniqueItems: true }, { items: { type: 'integer' } }, { contains: { type: 'string' } }, { title: 3 }, { unknown: 3 }].map(ofA),
  ...[
    { items: [{ type: 'integer' }], additionalItems: false },
    { prefixItems: [{ type: 'integer' }], items: false },
  ].map(ofA),
  ...[{ minContains: 2, contains: { type: 'integer' } }, { type: 'string', nullable: true }, { $ref: '#' }, { $ref: '#/nope' }].map(ofA),
  ...[{ $ref: 'https://example.com/s.json' }, { default: { $ref: '#/nope', nullable: true } }, false].map(ofA),
  ...[named('definitions'), named('$defs'), { ...ofA({ $ref: '#n' }), $defs: { n: { $anchor: 'n', type: 'integer' } } }],
  ...[
    { $ref: '#/definitions/m', definitions: { m: { required: ['b'] } } },
    { id: 'http://x/y', ...named('definitions') },
  ],
  ...[{ $id: 'http://x/y', ...named('definitions') }, { properties: { $ref: { type: 'string' } } }, { properties: { nullable: false } }],
  ...[{ required: ['a', 'b'] }, { required: true }, { minProperties: 2 }, { additionalProperties: false, ...ofA(true) }],
  ...[{ patternProperties: { '^a': { type: 'string' } } }, { propertyNames: { maxLength: 1 } }, { dependencies: { a: ['b'] } }],
  ...[
    { dependentRequired: { a: ['b'] } },
    { unevaluatedProperties: false, ...ofA({}) },
    { if: ofA({ const: 1 }), else: { required: ['b'] } },
  ],
  ...[{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { not: { required: ['a'] } }, { allOf: [ofA({ type: 'integer' })] }],
];

/** Values, as JSON. */
export const documents = [
  '{}',
  ...['1', '2.0', '1.5', '0.3', '-1', '9007199254740993', '"x"', '"abcd"', '"12"', '"é😀"', 'null', 'true'].map((a) => `{"a":${a}}`),
  ...['[]', '[1]', '[1,1]', '["x"]', '[1,"x"]', '{}', '{"a":1}', '{"b":1}', '"a@b.example"', '"1.2.3.4"'].map((a) => `{"a":${a}}`),
  ...['"2020-01-01"', '"a_b"', '{"$ref":"#/nope"}'].map((a) => `{"a":${a}}`),
  ...['{"b":1}', '{"a":1,"b":2}', '{"aa":1}', '{"$ref":"x"}', '{"$ref":1}', '{"nullable":1}'],
];
