import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { sarifReport } from '../../src/report/sarif.js';
import { ANALYSIS, HOSTILE, reportOf } from './reports.js';

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
const place = {
  type: 'object',
  required: ['physicalLocation'],
  properties: {
    id: { type: 'integer', minimum: 0 },
    message: text,
    logicalLocations: { type: 'array', items: { type: 'object' } },
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation'],
      additionalProperties: false,
      properties: {
        artifactLocation: {
          type: 'object',
          required: ['uri', 'uriBaseId'],
          additionalProperties: false,
          properties: {
            // A relative reference whose first segment has no colon (RFC 3986, 4.2).
            uri: { type: 'string', pattern: "^(?:[A-Za-z0-9\\-._~!$&'()*+,;=@/]|%[0-9A-F]{2})+$" },
            uriBaseId: { const: 'ROOT' },
          },
        },
        region: {
          type: 'object',
          required: ['startLine', 'endLine'],
          additionalProperties: false,
          properties: { startLine: { type: 'integer', minimum: 1 }, endLine: { type: 'integer', minimum: 1 } },
        },
      },
    },
  },
};
const level = { enum: ['none', 'note', 'warning', 'error'] };
/** What SARIF 2.1.0 demands of the parts that we write, sections 3.13 to 3.58; stricter than its schema where we know more. */
const SHAPE = {
  type: 'object',
  required: ['$schema', 'version', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['tool', 'results', 'invocations', 'originalUriBaseIds', 'columnKind'],
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'version', 'rules'],
                properties: {
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id', 'shortDescription', 'fullDescription', 'help'],
                      properties: { id: { type: 'string' }, shortDescription: text, fullDescription: text, help: text },
                    },
                  },
                },
              },
            },
          },
          originalUriBaseIds: {
            type: 'object',
            required: ['ROOT'],
            properties: { ROOT: { type: 'object', properties: { uri: { type: 'string', pattern: '^file:///.*/$' } } } },
          },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          invocations: {
            type: 'array',
            items: {
              type: 'object',
              required: ['executionSuccessful'],
              properties: {
                executionSuccessful: { type: 'boolean' },
                endTimeUtc: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
                toolExecutionNotifications: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['message', 'level'],
                    properties: { message: text, level, locations: { type: 'array', items: place } },
                  },
                },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
              properties: {
                level,
                message: text,
                ruleIndex: { type: 'integer', minimum: 0 },
                locations: { type: 'array', minItems: 1, maxItems: 1, items: place },
                relatedLocations: { type: 'array', uniqueItems: true, items: place },
                partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  },
};

const isSarif = new Ajv({ allErrors: true }).compile(SHAPE);
const runOf = (analysis = ANALYSIS) => JSON.parse(sarifReport(reportOf(analysis))).runs[0];

describe('a SARIF report', () => {
  it.each([
    ['of everything', ANALYSIS],
    ['of lines alone', { ...ANALYSIS, complexity: undefined, duplication: undefined, hotspots: undefined }],
    ['of metrics that failed', { ...ANALYSIS, complexity: { status: 'failed' as const, reason: 'no [parser]' } }],
  ])('%s has the shape that SARIF 2.1.0 demands', (_what, analysis) => {
    expect(isSarif(JSON.parse(sarifReport(reportOf(analysis)))), JSON.stringify(isSarif.errors, null, 2)).toBe(true);
  });

  it('tells a clone once, with its other places as related locations that its message links', () => {
    const [clone] = runOf().results;
    expect(clone).toMatchObject({
      ruleId: 'duplicate-code',
      level: 'warning',
      message: { text: '12 lines of TypeScript stand in 3 places, also [here](1) and in 1 more.' },
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'src/big.ts' }, region: { startLine: 5, endLine: 16 } } },
      ],
      relatedLocations: [{ id: 1, physicalLocation: { artifactLocation: { uri: 'src/a%20b.ts' } } }],
    });
    expect(runOf().tool.driver.rules[clone.ruleIndex].id).toBe('duplicate-code');
  });

  it('tells very complex functions, graver ones as warnings, and no easy ones', () => {
    const functions = runOf().results.filter(({ ruleId }: { ruleId: string }) => ruleId === 'complex-function');
    expect(functions).toMatchObject([
      { level: 'warning', locations: [{ logicalLocations: [{ name: 'untangle', kind: 'function' }] }] },
    ]);
    expect(runOf().tool.driver.rules[functions[0].ruleIndex].id).toBe('complex-function');
  });

  it('keeps a fingerprint when lines move', () => {
    const { complexity } = ANALYSIS;
    if (complexity?.status !== 'complete') throw new Error('the fixture has complexity');
    const hardest_functions = complexity.hardest_functions.map((one) => ({
      ...one,
      line: one.line + 7,
      end_line: one.end_line + 7,
    }));
    const moved = runOf({ ...ANALYSIS, complexity: { ...complexity, hardest_functions } });
    const prints = (run: typeof moved) =>
      run.results.map((one: { partialFingerprints: object }) => one.partialFingerprints);
    expect(prints(moved)).toEqual(prints(runOf()));
  });

  it('tells skipped files and incomplete metrics as notifications, so that no silence looks like praise', () => {
    const [{ toolExecutionNotifications: told }] = runOf().invocations;
    expect(told).toMatchObject([
      { descriptor: { id: 'skipped-binary' }, level: 'note', message: { text: '2 files not counted: binary.' } },
      { descriptor: { id: 'duplication-partial' }, level: 'warning' },
      { level: 'note', message: { text: '6 smaller clones not among the results.' } },
    ]);
    const uri = told[0].locations[1].physicalLocation.artifactLocation.uri;
    expect(decodeURIComponent(uri)).toBe(HOSTILE);
  });
});
