/**
 * Every environment variable of the functions, with its parser. The infrastructure sets these names and the functions read
 * them, so a name that only one side knows does not compile.
 */
export const variables = {
  ACCESS_TABLE: parseText,
  CATALOGUE_TABLE: parseText,
  CONTENTS_TABLE: parseText,
  DATABASE: parseText,
  /** How the catalogue is filled: by loads, or from an operator's relation `fee_schedules`. */
  FEE_SCHEDULES: oneOf('loads', 'relation'),
  JOBS_TABLE: parseText,
  /** Default limits of an organization: active searches, and searches created per minute. */
  MAX_SEARCHES: wholeNumber(1),
  /** The base URL of `/v1`, without a trailing slash. */
  PUBLIC_BASE_URL: parseText,
  /** How long start-query waits for its query; 0 to hand over at once. */
  QUERY_WAIT_MS: wholeNumber(0),
  /** Written and parsed by schema/columns/relation-columns.ts, which only start-query needs in its bundle. */
  RATES_COLUMNS: parseText,
  /** The address of the loader's tables as Athena writes it, `s3://…/`; any text if the relation is an operator's. */
  RATES_LOCATION: parseText,
  RESULTS_BUCKET: parseText,
  RETENTION_DAYS: wholeNumber(1),
  RUNNING_HOURS: wholeNumber(1),
  SEARCHES_PER_MINUTE: wholeNumber(1),
  SIGNING_ROLE_ARN: parseText,
  STAGE: parseText,
  STATE_MACHINE_ARN: parseText,
  WAITING_HOURS: wholeNumber(1),
  WEBHOOKS_TABLE: parseText,
  /** Which webhooks may be called: those with public addresses, or also this machine's own. */
  WEBHOOK_ADDRESSES: oneOf('public', 'own'),
  WORKGROUP: parseText,
} as const satisfies Readonly<Record<string, Parser>>

/** Parses the text of a variable, which is never empty. Throws a RangeError that states the rule the text breaks. */
type Parser = (text: string) => string | number

export type VariableName = keyof typeof variables

export type Environment<Name extends VariableName> = {
  readonly [Each in Name]: ReturnType<(typeof variables)[Each]>
}

function parseText(text: string): string {
  return text
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least) return value
    throw new RangeError(`must be a whole number of at least ${least}`)
  }
}

function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new RangeError(`must be one of ${words.join(', ')}`)
  }
}
