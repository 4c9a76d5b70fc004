/**
 * The variables of each function, by name. Infrastructure and function share this list: a variable that the stack
 * forgets does not compile, and one that a deployment lacks is reported with all the others that it lacks.
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
    'RESULTS_BUCKET',
    'WORKGROUP',
    'DATABASE',
    'RATES_COLUMNS',
    'FEE_SCHEDULES',
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

/** The functions, by the one word that goes through every room. */
export type Operation = keyof typeof environmentNames

/** What a function finds in its environment. */
export type Environment<Name extends Operation> = Readonly<Record<(typeof environmentNames)[Name][number], string>>

/**
 * Reads a function's variables; called once, in its composition root.
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
  // The loop above is the proof that the compiler cannot follow.
  return Object.fromEntries(names.map((name) => [name, source[name]])) as Environment<Name>
}

/** A function was deployed without some of its variables. */
export class MissingVariables extends Error {
  override readonly name = 'MissingVariables'
  constructor(operation: string, missing: readonly string[]) {
    super(`${operation} lacks the environment variables ${missing.join(', ')}`)
  }
}
