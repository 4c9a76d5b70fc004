/**
 * Imports that each room may have besides its own files: a room (`core/`), a single file, a package, or a pattern
 * (`node:*`).
 * Only `adapters/` talks to AWS. Single files hold what rooms share.
 */
export const boundaries = {
  contract: ['valibot', '@valibot/to-json-schema'],
  schema: ['contract/', 'valibot', 'node:crypto'],
  core: ['contract/', 'schema/', 'node:buffer', 'node:crypto', 'node:zlib'],
  parquet: ['hyparquet', 'hyparquet/src/*'],
  adapters: ['core/', 'schema/', 'parquet/', '@aws-sdk/*', 'hyparquet', 'hyparquet-writer', 'valibot', 'node:*'],
  fetch: ['core/', 'schema/printable-error.ts', 'adapters/network/', 'undici', 'valibot', 'node:*'],
  loader: [
    'contract/limits.ts',
    'core/',
    'schema/',
    'adapters/',
    'fetch/',
    '@duckdb/node-api',
    'hyparquet',
    'hyparquet-writer',
    'valibot',
    'node:*',
  ],
  lambdas: ['core/', 'schema/', 'adapters/', 'contract/', '@middy/*', 'aws-lambda', 'valibot', 'node:*'],
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
  client: ['parquet/', 'node:*', 'hyparquet-writer'],
  page: ['contract/', 'client/', 'parquet/', 'preact', 'preact/*'],
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

/** The folders of a room from top to bottom: each imports only those below it. Files beside them are below all. */
export const floors = {
  core: [
    'calls',
    'access',
    'events',
    'workflow',
    'job',
    'own-relation',
    'switching',
    'paging',
    'search',
    'limits',
    'catalogue',
    'nppes',
    'loads',
  ],
  loader: ['nppes', 'fleet', 'run', 'plans', 'publish', 'write', 'collect', 'decode'],
} as const satisfies Partial<Record<keyof typeof boundaries, readonly string[]>>
