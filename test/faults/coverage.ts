import type { Right } from '../least-privilege/policies.ts'
import { nameOperation } from './proxy/call-name.ts'
import type { Fault, PlannedFault } from './proxy/fault.ts'

/** A row of the table: a call, and whether it is a conditional write. */
export interface CoveredCall {
  readonly call: string
  readonly isConditional: boolean
}

/** The facts of a case that the table shows. */
export interface ShownCase {
  readonly fault: PlannedFault | undefined
  readonly record: {
    /** Attempts hit by each planned fault, by its index in the plan; the case's own fault has index 0. */
    readonly hits: ReadonlyMap<number, number>
    readonly calls: ReadonlyMap<string, unknown>
  }
}

export interface Coverage {
  readonly rows: readonly CoveredCall[]
  readonly columns: readonly Fault[]
  readonly cases: readonly ShownCase[]
  /** Rights of the functions' roles; some case must exercise each of them. */
  readonly rights: readonly Right[]
}

/** Rights that no case exercises, each with the reason. */
const notMade: readonly (readonly [right: RegExp, reason: string])[] = [
  [
    /^(list-searches|get-manifest|get-rows|estimate-search|list-fee-schedules|list-billing-codes|list-specialties|list-providers|serve-assistants|refresh-fee-schedules|announce-loads|deliver-webhooks|retry-webhooks) /,
    'They are not part of a job; a refresh needs an operator\u2019s own relation.',
  ],
  [/^create-search dynamodb:(Query|Scan)$/, 'Only the estimate of a search with `max_bytes` makes these calls.'],
  [/^warehouse-reader /, 'The operator’s command check-warehouse assumes this role; no job does.'],
  [
    /^start-query (glue:|s3:(ListBucket|GetBucketLocation|ListBucketMultipartUploads|ListMultipartUploadParts|AbortMultipartUpload)$)/,
    'Athena reads and writes with the rights of the function that starts a query.',
  ],
  [
    /^sign-downloads s3:GetObject$/,
    'The client uses it, by reading files through URLs that are signed with this role.',
  ],
  [/ (lambda:InvokeFunction|sqs:SendMessage)$/, 'Step Functions and Lambda make these calls themselves.'],
]

/** Calls of the review of slots, which only a run of more than five minutes makes. */
const review = /^sweep-searches dynamodb:(BatchGetItem (usage|job)|UpdateItem usage (unended|touched_at))$/

/** Only a conditional write can fail its condition. */
export const canMeet = ({ isConditional }: Pick<CoveredCall, 'isConditional'>, fault: Fault) =>
  fault !== 'conditional' || isConditional

/** Lists the gaps, one line each: calls without a row, faults that a call has not met, rights that no call used. */
export function findUncovered({ rows, columns, cases, rights }: Coverage): readonly string[] {
  const rowNames = new Set(rows.map(({ call }) => call))
  const made = new Set(cases.flatMap(({ record }) => [...record.calls.keys()]))
  const met = new Set(cases.flatMap(({ fault, record }) => (fault && record.hits.has(0) ? [meeting(fault)] : [])))
  return [
    ...[...made]
      .filter((call) => !rowNames.has(call.replace(/ again$/, '')) && !review.test(call))
      .map((call) => `${call} is made, but has no row`),
    ...rows.flatMap((row) =>
      columns
        .filter((fault) => canMeet(row, fault) && !met.has(meeting({ call: row.call, fault })))
        .map((fault) => `${row.call} has not met: ${fault}`),
    ),
    ...findUnused(rights, made),
  ]
}

const meeting = ({ call, fault }: PlannedFault) => `${call} ${fault}`

/** Policy names of calls that differ. Source: Service Authorization Reference, "Actions defined by Amazon S3". */
const actions: Readonly<Record<string, string>> = {
  's3:ListObjectsV2': 's3:ListBucket',
  's3:DeleteObjects': 's3:DeleteObject',
  's3:HeadObject': 's3:GetObject',
}

function findUnused(rights: readonly Right[], made: ReadonlySet<string>): readonly string[] {
  const used = new Set(
    [...made].map((call) => {
      const [operation = '', action = ''] = call.split(' ')
      return `${operation} ${actions[action] ?? action}`
    }),
  )
  const allowed = new Set(
    rights.map(({ role, action }) => `${nameOperation(role.replace(/(Role)?[0-9A-F]{8}$/, ''))} ${action}`),
  )
  return [...allowed]
    .filter((right) => !used.has(right) && !notMade.some(([pattern]) => pattern.test(right)))
    .map((right) => `${right} is allowed, but no case makes it`)
}
