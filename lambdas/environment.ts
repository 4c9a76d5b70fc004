/**
 * Environment variables of each function. Infrastructure and functions share this list: a variable missing in the stack
 * does not compile, and one missing in a deployment is reported together with all others.
 */
export const environmentNames = {
  'create-search': ['ACCESS_TABLE', 'JOBS_TABLE', 'STATE_MACHINE_ARN', 'PUBLIC_BASE_URL', 'RETENTION_DAYS'],
  'get-search': [
    'ACCESS_TABLE',
    'JOBS_TABLE',
    'RESULTS_BUCKET',
    'SIGNING_ROLE_ARN',
    'PUBLIC_BASE_URL',
    'RETENTION_DAYS',
  ],
  'cancel-search': [
    'ACCESS_TABLE',
    'JOBS_TABLE',
    'WORKGROUP',
    'DATABASE',
    'PUBLIC_BASE_URL',
    'RETENTION_DAYS',
    'STAGE',
  ],
  'delete-search': ['ACCESS_TABLE', 'JOBS_TABLE', 'RESULTS_BUCKET', 'RETENTION_DAYS'],
  'list-fee-schedules': ['ACCESS_TABLE', 'CATALOGUE_TABLE'],
  'not-found': [],
  'start-query': [
    'JOBS_TABLE',
    'CATALOGUE_TABLE',
    'CONTENTS_TABLE',
    'RESULTS_BUCKET',
    'WORKGROUP',
    'DATABASE',
    'RATES_COLUMNS',
    'FEE_SCHEDULES',
    'QUERY_WAIT_MS',
    'RETENTION_DAYS',
    'STAGE',
  ],
  'await-query': ['JOBS_TABLE', 'WORKGROUP', 'DATABASE', 'RETENTION_DAYS', 'STAGE'],
  'publish-results': ['JOBS_TABLE', 'RESULTS_BUCKET', 'RETENTION_DAYS', 'STAGE'],
  'record-failure': ['JOBS_TABLE', 'WORKGROUP', 'DATABASE', 'RETENTION_DAYS', 'STAGE'],
  'sweep-searches': [
    'JOBS_TABLE',
    'STATE_MACHINE_ARN',
    'WORKGROUP',
    'DATABASE',
    'WAITING_HOURS',
    'RUNNING_HOURS',
    'RETENTION_DAYS',
    'STAGE',
  ],
  'refresh-fee-schedules': ['CATALOGUE_TABLE', 'WORKGROUP', 'DATABASE'],
} as const satisfies Record<string, readonly string[]>

/** Names of the functions, the same in every room. */
export type Operation = keyof typeof environmentNames

/** The environment of a function. */
export type Environment<Name extends Operation> = Readonly<Record<(typeof environmentNames)[Name][number], string>>

/**
 * Reads a function's environment variables. Called once, in its composition root.
 *
 * @throws MissingVariables naming all that are not set
 */
export function readEnvironment<Name extends Operation>(
  operation: Name,
  source: Readonly<Record<string, string | undefined>> = process.env,
): Environment<Name> {
  const names: readonly string[] = environmentNames[operation]
  const missing = names.filter((name) => !source[name])
  if (missing.length > 0) throw new MissingVariables(operation, missing)
  // The check above proves that all names are set, which the compiler cannot follow.
  return Object.fromEntries(names.map((name) => [name, source[name]])) as Environment<Name>
}

/** A function was deployed without some of its variables. */
export class MissingVariables extends Error {
  override readonly name = 'MissingVariables'
  constructor(operation: string, missing: readonly string[]) {
    super(`${operation} is missing the environment variables ${missing.join(', ')}`)
  }
}
