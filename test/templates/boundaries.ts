/**
 * What each room may import besides its own files: a room (`core/`), a single file, a package, or a pattern (`node:*`).
 * Only `adapters/` talks to AWS. Single files hold what rooms share.
 */
export const boundaries = {
  contract: ['valibot', '@valibot/to-json-schema'],
  schema: ['contract/', 'valibot', 'node:crypto'],
  core: ['contract/', 'schema/', 'node:buffer', 'node:crypto', 'node:zlib'],
  adapters: ['core/', 'schema/', '@aws-sdk/*', 'hyparquet', 'hyparquet/src/*', 'hyparquet-writer', 'valibot', 'node:*'],
  loader: [
    'contract/limits.ts',
    'core/',
    'schema/',
    'adapters/',
    '@duckdb/node-api',
    'hyparquet',
    'hyparquet-writer',
    'undici',
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
  client: ['node:*', 'hyparquet', 'hyparquet/src/*', 'hyparquet-writer'],
  page: ['contract/', 'client/', 'preact', 'preact/*', 'hyparquet', 'hyparquet/src/*'],
  bin: [
    'adapters/',
    'client/',
    'contract/',
    'core/',
    'lib/',
    'loader/',
    'local/',
    'page/',
    'schema/',
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
    'paging',
    'search',
    'limits',
    'catalogue',
    'loads',
  ],
  loader: ['fleet', 'run', 'plans', 'publish', 'write', 'columns', 'decode', 'fetch'],
} as const satisfies Partial<Record<keyof typeof boundaries, readonly string[]>>
