import { at } from '../../schema/at.ts'
import { nameSome } from '../../schema/phrases.ts'

/** The kinds of protection, by the words with which operators give them up, and their descriptions. */
export const protectionKinds = {
  'termination-protection': 'whether a stack refuses to be deleted',
  data: 'tables, buckets and databases',
  'deletion-protection': 'whether tables refuse to be deleted',
  retention: 'whether data outlives its stack, and how long results are kept',
  recovery: 'point-in-time recovery of tables',
  versioning: 'versions of deleted files, from which they can be brought back',
  encryption: 'the KMS key',
  alarms: 'alarms of CloudWatch',
  'alarm-targets': 'email addresses and topics that receive alarms',
  budget: 'the budget that watches the bill',
  'custom-domain': 'the domain of the API, and its DNS record',
  'access-log': 'the access log of the API',
  warehouse: 'the warehouse that searches read',
} as const

export type ProtectionKind = keyof typeof protectionKinds

/** A protection that a deploy would take away or weaken. */
export interface Loss {
  readonly kind: ProtectionKind
  /** The stack, resource, address or domain that loses it. */
  readonly subject: string
  readonly before: string
  readonly after: string
  /** A setting that avoids the loss, if the stage's former settings do not. */
  readonly remedy?: string
}

/** Narrows a word to a kind of protection. */
export const isProtectionKind = (word: string): word is ProtectionKind => Object.hasOwn(protectionKinds, word)

/** Number of subjects that a line names before it only counts them. */
const maxSubjects = 6

/**
 * Describes losses in one line for each kind and change: `alarm-targets  2 -> 0: oncall@example.com, …`.
 *
 * @returns no line if nothing is lost
 */
export function describeLosses(losses: readonly Loss[]): readonly string[] {
  const changes = Map.groupBy(losses, ({ kind, before, after }) => JSON.stringify([kind, before, after]))
  return [...changes.values()].map((group) => {
    const { kind, before, after } = at(group, 0)
    const subjects = [...new Set(group.map(({ subject }) => subject))]
    return `${kind.padEnd(24)}${before} -> ${after}: ${nameSome(subjects, maxSubjects)}`
  })
}
