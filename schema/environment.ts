import * as v from 'valibot'

/** The text of a variable, which is never empty. */
export const text = v.pipe(v.optional(v.string(), ''), v.nonEmpty('is not set'))

const wholeNumber = (least: number) =>
  v.pipe(
    text,
    v.check(
      (written) => /^\d{1,9}$/.test(written) && Number(written) >= least,
      ({ input }) => `must be a whole number of at least ${least}, not "${input}"`,
    ),
    v.transform(Number),
  )

const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  v.pipe(
    text,
    v.picklist(words, ({ input }) => `must be one of ${words.join(', ')}, not "${input}"`),
  )

/** The value of `FILE_LISTS_LOCATION` if searches write no lists, but name folders in their statements. */
export const noFileLists = 'none'

/**
 * Every environment variable of the functions, with the schema of its text. The infrastructure sets these names and the
 * functions read them, so a name that only one side knows does not compile.
 */
export const variables = {
  ACCESS_TABLE: text,
  CATALOGUE_TABLE: text,
  CONTENTS_TABLE: text,
  DATABASE: text,
  /** Source of the catalogue: loads, or an operator's relation `fee_schedules`. */
  FEE_SCHEDULES: oneOf('loads', 'relation'),
  /** Where searches list their files, `s3://…/`; `noFileLists` if they do not. */
  FILE_LISTS_LOCATION: text,
  JOBS_TABLE: text,
  /** Default limits of an organization: active searches, and searches created per minute. */
  MAX_SEARCHES: wholeNumber(1),
  /** The place of the files of NPPES, `s3://…/`. */
  PROVIDERS_LOCATION: text,
  /** The base URL of `/v1`, without a trailing slash. */
  PUBLIC_BASE_URL: text,
  /** Milliseconds for which a turn of await-query watches its query; 0 to look once. */
  QUERY_TURN_MS: wholeNumber(0),
  /** Milliseconds that start-query waits for its query; 0 to hand over at once. */
  QUERY_WAIT_MS: wholeNumber(0),
  /** Written and parsed by schema/columns/relation-columns.ts, which only start-query needs in its bundle. */
  RATES_COLUMNS: text,
  /** The address of the loader's tables as Athena writes it, `s3://…/`; any text if the relation is an operator's. */
  RATES_LOCATION: text,
  RESULTS_BUCKET: text,
  RETENTION_DAYS: wholeNumber(1),
  RUNNING_HOURS: wholeNumber(1),
  SEARCHES_PER_MINUTE: wholeNumber(1),
  /** The way in which searches find files: `auto` tries lists, and folders if lists do not work. */
  SEARCH_FILES: oneOf('auto', 'lists', 'folders'),
  SIGNING_ROLE_ARN: text,
  STAGE: text,
  STATE_MACHINE_ARN: text,
  /** Rule for searches of unknown size that assistants start. */
  UNKNOWN_SIZES: oneOf('allowed', 'refused'),
  WAITING_HOURS: wholeNumber(1),
  /** Number of calls that may wait at once. */
  WAIT_SLOTS: wholeNumber(0),
  WEBHOOKS_TABLE: text,
  /** Addresses that webhooks may have: public ones, or also this machine's own. */
  WEBHOOK_ADDRESSES: oneOf('public', 'own'),
  WORKGROUP: text,
} as const satisfies Readonly<Record<string, v.GenericSchema<string | undefined, string | number>>>

export type VariableName = keyof typeof variables

export type Environment<Name extends VariableName> = {
  readonly [Each in Name]: v.InferOutput<(typeof variables)[Each]>
}
