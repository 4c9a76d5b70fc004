import type { Right } from '../least-privilege/policies.ts'
import { nameOperation } from './call-name.ts'
import type { Fault, PlannedFault } from './fault.ts'

/** A call of the table, and whether it is a write with a condition. */
export interface CoveredCall {
  readonly call: string
  readonly isConditional: boolean
}

/** What a case has shown of the table. */
export interface ShownCase {
  readonly fault: PlannedFault | undefined
  readonly record: {
    /** Tries that met the fault of the plan at an index; the case's own is the first. */
    readonly hits: ReadonlyMap<number, number>
    readonly calls: ReadonlyMap<string, unknown>
  }
}

export interface Coverage {
  readonly rows: readonly CoveredCall[]
  readonly columns: readonly Fault[]
  readonly cases: readonly ShownCase[]
  /** What the functions' roles allow: what a function may do, some case must make it do. */
  readonly rights: readonly Right[]
}

/** Rights that no case uses, each with the reason. */
const notMade: readonly (readonly [right: RegExp, reason: string])[] = [
  [/^(list|refresh)-fee-schedules /, 'They drive no job; a refresh needs an operator\u2019s own relation.'],
  [/^start-query (glue|s3):/, 'Athena reads and writes with the rights of whoever starts a query.'],
  [/^sign-downloads s3:GetObject$/, 'The client reads the files, by the URLs that are signed with it.'],
  [/ (lambda:InvokeFunction|sqs:SendMessage)$/, 'Step Functions and Lambda make these calls themselves.'],
]

/** Only a write with a condition can find that it does not hold. */
export const canMeet = ({ isConditional }: Pick<CoveredCall, 'isConditional'>, fault: Fault) =>
  fault !== 'conditional' || isConditional

/** What nobody has seen: calls in no row, faults that a call has not met, rights that no call used. A line each. */
export function findUncovered({ rows, columns, cases, rights }: Coverage): readonly string[] {
  const known = new Set(rows.map(({ call }) => call))
  const made = new Set(cases.flatMap(({ record }) => [...record.calls.keys()]))
  const met = new Set(cases.flatMap(({ fault, record }) => (fault && record.hits.has(0) ? [meeting(fault)] : [])))
  return [
    ...[...made].filter((call) => !known.has(call)).map((call) => `${call} is made, and in no row`),
    ...rows.flatMap((row) =>
      columns
        .filter((fault) => canMeet(row, fault) && !met.has(meeting({ call: row.call, fault })))
        .map((fault) => `${row.call} has not met: ${fault}`),
    ),
    ...findUnused(rights, made),
  ]
}

const meeting = ({ call, fault }: PlannedFault) => `${call} ${fault}`

/** Policies have other words for some calls. Source: Service Authorization Reference, "Actions defined by Amazon S3". */
const actions: Readonly<Record<string, string>> = {
  's3:ListObjectsV2': 's3:ListBucket',
  's3:DeleteObjects': 's3:DeleteObject',
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
    .map((right) => `${right} is allowed, and no case makes it`)
}
