import type { Amount } from '../../client/results/amounts.ts'
import type { RateGroup } from '../statistics/rate-groups.ts'
import { nameParty } from './highlight.ts'

/** Someone who is paid, with one of the amounts. */
export interface PaidParty {
  readonly name: string
  readonly amount: Amount
  /** The plan that pays it, and its payer. */
  readonly plan: string
  readonly payer: string
}

/** Maximum number of names at each end. */
const maxNames = 3

/**
 * Returns who is paid most and least, each name once with its greatest or its least amount. A name is at one end only:
 * of few names, the upper half is paid most.
 */
export function findExtremes(groups: readonly RateGroup[]): {
  readonly most: readonly PaidParty[]
  readonly least: readonly PaidParty[]
} {
  const payments = groups
    .flatMap(({ plan, payer, prices }) => prices.map((price) => ({ plan, payer, ...price })))
    .sort((one, other) => one.rate - other.rate)
  const names = new Set(payments.flatMap(({ rows }) => rows.map(keyOfParty)))
  const most = takeNames(payments.toReversed(), Math.min(maxNames, Math.ceil(names.size / 2)), new Set())
  const namesOfMost = new Set(most.map(({ name }) => name.toLowerCase()))
  return { most, least: takeNames(payments, Math.min(maxNames, Math.floor(names.size / 2)), namesOfMost) }
}

type Payment = RateGroup['prices'][number] & Pick<RateGroup, 'plan' | 'payer'>

/** Payers and NPPES write the same name in other cases. */
const keyOfParty = (row: Payment['rows'][number]) => nameParty(row).toLowerCase()

/** Takes the first names of payments that are not among others. */
function takeNames(payments: readonly Payment[], count: number, others: ReadonlySet<string>): readonly PaidParty[] {
  const parties = new Map<string, PaidParty>()
  for (const { plan, payer, amount, rows } of payments)
    for (const row of rows) {
      if (parties.size === count) return [...parties.values()]
      const key = keyOfParty(row)
      if (!others.has(key) && !parties.has(key)) parties.set(key, { name: nameParty(row), amount, plan, payer })
    }
  return [...parties.values()]
}
