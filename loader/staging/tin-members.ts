import type { Findings } from '../published/findings.ts'
import type { ProviderGroup, Tin } from '../published/in-network-file.ts'
import { keyOfValues } from '../published/published-column.ts'
import { parseExactRate } from '../published/values/exact-rate.ts'
import { readListedValue } from '../published/values/known-values.ts'
import { isNumber, type PublishedNumber, parseNumber } from '../published/values/published-number.ts'

/** The NPIs that one TIN has in one provider reference. */
export interface TinMembers {
  readonly type: string
  readonly value: string
  readonly businessName: string | undefined
  /** Sorted, each once. */
  readonly npis: readonly number[]
}

/**
 * Gathers provider groups by TIN. An NPI counts once within one TIN; the same NPI under another TIN or business name is
 * another member. A group without a readable TIN is skipped with its NPIs.
 */
export function gatherMembers(groups: Iterable<ProviderGroup | undefined>, findings: Findings): readonly TinMembers[] {
  const { units } = findings
  const gathered = new Map<string, Omit<TinMembers, 'npis'> & { readonly npis: Set<number> }>()
  for (const group of groups) {
    units.groups.published++
    units.npis.published += group?.npis.length ?? 0
    const identity = group?.tin && canonicalTin(group.tin)
    if (group === undefined || identity === undefined || identity.value === '') {
      if (group !== undefined) findings.count('unfit-tin', group.at, 'tin')
      units.groups.skipped++
      units.npis.skipped += group?.npis.length ?? 0
      continue
    }
    if (identity.finding !== undefined) findings.count(identity.finding, group.at, 'tin.type')
    const key = keyOfValues([identity.type, identity.value, identity.businessName])
    const members = gathered.get(key) ?? { ...identity, npis: new Set<number>() }
    gathered.set(key, members)
    addNpis(group, members.npis, findings)
  }
  return Array.from(gathered.values(), ({ npis, ...tin }) => ({ ...tin, npis: toSortedSet([...npis]) }))
}

/** Numbers from which a typed array is sorted faster. */
const many = 100

/** Sorts numbers and leaves out repetitions; a list that is sorted already is returned itself. */
function toSortedSet(numbers: readonly number[]): readonly number[] {
  if (isStrictlySorted(numbers)) return numbers
  const sorted = numbers.length < many ? numbers.toSorted((a, b) => a - b) : Float64Array.from(numbers).sort()
  const distinct: number[] = []
  for (const number of sorted) if (number !== distinct.at(-1)) distinct.push(number)
  return distinct
}

function isStrictlySorted(numbers: readonly number[]): boolean {
  for (let index = 1; index < numbers.length; index++)
    if ((numbers[index] ?? 0) <= (numbers[index - 1] ?? 0)) return false
  return true
}

function addNpis({ at, npis }: ProviderGroup, members: Set<number>, findings: Findings): void {
  for (let index = 0; index < npis.length; index++) {
    const npi = readNpi(npis[index])
    if (npi !== undefined) members.add(npi)
    else {
      findings.count('unfit-npi', at, 'npi', index)
      findings.units.npis.skipped++
    }
  }
}

/** Distinct NPIs of all TINs together, 0 not counted. */
export function countNpis(tins: readonly TinMembers[]): number {
  const [first, ...others] = tins
  if (first === undefined) return 0
  const all = others.length === 0 ? first.npis : toSortedSet(tins.flatMap(({ npis }) => npis))
  return all[0] === 0 ? all.length - 1 : all.length
}

/** Publishers write an EIN with its hyphen and without. Source: CMS schema, `tin.value`. */
function canonicalTin({ type, value, businessName }: Tin) {
  const { value: known, finding } = readListedValue('type', type)
  return { type: known.trim().toLowerCase(), value: value.replace(/\D/g, ''), businessName, finding }
}

/**
 * Reads an NPI: ten digits, or 0 for a whole TIN, as a number or as a text that is one. Its check digit is not looked at,
 * since even the examples of CMS fail it, and a rate is worth more than its check digit.
 */
function readNpi(value: unknown): number | undefined {
  const number = typeof value === 'string' ? parseNumber(value) : isNumber(value) ? value : undefined
  const npi = typeof number === 'object' ? readExactInteger(number) : number
  if (npi === undefined || npi === 0) return npi
  return Number.isInteger(npi) && npi >= 1_000_000_000 && npi <= 9_999_999_999 ? npi : undefined
}

/** On the characters: a float would read 1e-400 as 0, and 1000000001.00000001 as an NPI. */
function readExactInteger({ characters }: PublishedNumber): number | undefined {
  const exact = parseExactRate(characters)
  if (exact === undefined || exact.rounded || exact.tenThousandths % 10_000n !== 0n) return undefined
  return Number(exact.tenThousandths / 10_000n)
}
