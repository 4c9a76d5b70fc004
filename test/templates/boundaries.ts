import { functionNames } from '../../schema/function-names.ts'

/**
 * Imports that each top-level folder may have besides its own files: another folder (`core/`), a single file, a
 * package, or a pattern (`node:*`).
 *
 * Only `adapters/` talks to AWS. Single files hold what top-level folders share. A test finds entries that no file
 * uses.
 */
export const boundaries = {
  contract: ['valibot', '@valibot/to-json-schema'],
  schema: ['contract/', 'valibot', 'node:crypto'],
  core: ['contract/', 'schema/', 'node:crypto', 'node:zlib'],
  parquet: ['hyparquet', 'hyparquet/src/*'],
  adapters: [
    'contract/summaries.ts',
    'core/',
    'schema/',
    'parquet/',
    '@aws-sdk/*',
    'hyparquet',
    'hyparquet-writer',
    'valibot',
    'node:*',
  ],
  fetch: [
    'core/',
    'schema/at.ts',
    'schema/phrases.ts',
    'schema/printable-error.ts',
    'adapters/network/',
    'undici',
    'valibot',
    'node:*',
  ],
  loader: [
    'contract/limits.ts',
    'core/',
    'schema/',
    'adapters/',
    'fetch/',
    '@duckdb/node-api',
    'hyparquet',
    'hyparquet-writer',
    'node:*',
  ],
  lambdas: [
    ...['core/', 'schema/', 'adapters/', 'contract/'],
    ...['client/assistants/', 'client/results/csv-line.ts', 'client/search-calls.ts'],
    ...['@middy/*', 'aws-lambda', 'valibot', 'node:*'],
  ],
  lib: [
    'aws-cdk-lib',
    'aws-cdk-lib/*',
    'constructs',
    'esbuild',
    'contract/',
    'schema/',
    'valibot',
    '@valibot/to-json-schema',
    'node:*',
  ],
  local: [
    'client/downloads/cyclic-check.ts',
    'schema/',
    '@duckdb/node-api',
    'aws-local-stepfunctions',
    'dynalite',
    'dynalite/db/index.js',
    'valibot',
    'node:*',
  ],
  client: [
    ...['parquet/', 'schema/at.ts', 'schema/phrases.ts', 'schema/printable-error.ts', 'schema/summary/'],
    ...['node:*', 'hyparquet-writer'],
    ...[
      'contract/mcp.ts',
      'contract/schemas/tools.ts',
      'contract/summaries.ts',
      'contract/take-fitting.ts',
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/*',
    ],
    ...['valibot', '@valibot/to-json-schema'],
  ],
  page: [
    ...['contract/', 'client/', 'parquet/', 'schema/at.ts', 'schema/phrases.ts', 'schema/summary/'],
    ...['preact', 'preact/*'],
  ],
  bin: [
    'adapters/',
    'client/',
    'contract/',
    'core/',
    'fetch/',
    'lib/',
    'loader/',
    'local/',
    'page/',
    'schema/',
    'esbuild',
    'hyparquet',
    'node:*',
  ],
} as const satisfies Record<string, readonly string[]>

/** Packages that only some places of the top-level folders import, wherever `boundaries` allows them. */
export const packagePlaces: Readonly<Record<string, readonly string[]>> = {
  '@duckdb/node-api': ['loader/nppes/', 'local/'],
  '@modelcontextprotocol/server': ['client/assistants/'],
}

/**
 * Layers of each top-level folder, from top to bottom: a file imports only its own layer and those below it. An entry
 * is a folder, a file beside the folders, or a list of either that do not import each other. Files beside the folders
 * that have no entry are below all layers.
 */
export const layers: Readonly<Record<keyof typeof boundaries, readonly (string | readonly string[])[]>> = {
  contract: ['openapi', 'search-api.ts', 'calls.ts', 'components.ts', 'schemas'],
  schema: ['summary', 'columns'],
  core: [
    'calls',
    'access',
    'events',
    'workflow',
    'job',
    'own-relation',
    'switching',
    'paging',
    'rates',
    'search',
    'limits',
    'vocabulary',
    'catalogue',
    'nppes',
    'loads',
  ],
  parquet: [],
  adapters: ['athena', 'cloudformation', 'cloudwatch', 'dynamodb', 's3', 'network'],
  fetch: ['published-bytes.ts', 'repair-json.ts', 'unpack.ts', 'zip', 'file-finder.ts', 'remote'],
  loader: ['nppes', 'fleet', 'run', 'plans', 'publish', 'write', 'collect', 'decode'],
  lambdas: [functionNames, 'http'],
  lib: [
    'synthesise.ts',
    'search-service.ts',
    ['calls', 'workflow', 'events', 'loads', 'operations'],
    'timers',
    'service-parts.ts',
    ['api', 'warehouse'],
    'storage',
    'stage',
    ['functions', 'protections'],
  ],
  local: [
    'service.ts',
    ['endpoints.ts', 'storage.ts'],
    ['api-gateway', 'athena', 'dynamodb', 'event-bridge', 'step-functions', 'sts'],
    ['lambda', 's3', 'samples'],
    'start-endpoints.ts',
    'endpoint.ts',
    ['data-folder', 'signing'],
  ],
  client: [
    'cli',
    'assistants',
    'command-line',
    ['rate-search.ts', 'browser.ts'],
    'rate-search-client.ts',
    'results',
    'downloads',
  ],
  page: [
    ['main.tsx', 'plot-app'],
    'app.tsx',
    'lazy-search-view.tsx',
    'search',
    'compare',
    'result',
    'form',
    'values',
    ['problem.tsx', 'sign-in.tsx'],
    'service.ts',
    'parquet',
  ],
  bin: [
    '.',
    'smoke',
    ['account', 'access', 'aws-loads', 'documents', 'package', 'samples'],
    'warehouse',
    'stacks',
    'command',
  ],
}
