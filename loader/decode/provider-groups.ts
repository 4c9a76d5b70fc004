import { foldWhiteSpace } from '../../contract/texts/compose-text.ts'
import { restoreEin } from '../../core/catalogue/plan-id.ts'
import type { Findings, UnitTally } from './findings.ts'
import { isNumber, type PublishedNumber, parseNumber } from './json/published-number.ts'
import type { PublishedObject } from './published-object.ts'
import { parseExactRate } from './values/exact-rate.ts'
import { readListedValue } from './values/known-values.ts'

/** Takes provider groups: the NPIs of each TIN, and then the TIN. */
export interface OpenGroup {
  /** Numbers texts, which are in UTF-8. */
  readonly texts: { addBytes(source: Uint8Array, start: number, end: number): number; add(text: string): number }
  readonly npis: { push(npi: number): void }
  /** Adds a TIN with the NPIs that were added since the last one, each once. A TIN without NPIs is dropped. */
  addTin(type: number, value: number, name: number | undefined): void
  /** Removes the TINs and NPIs that were added since the group was opened. */
  dropOpen(): unknown
}

/** The number of an inline group; `left out` if the filter keeps none of it, undefined if it has no provider. */
export type InlineGroup = number | 'left out' | undefined

/** Takes the inline groups of prices. */
export interface InlineTaker {
  readonly store: OpenGroup
  /** Ends the open group. */
  end(): InlineGroup
}

/**
 * Adds elements of `provider_groups`, of a reference, a price or a file of provider groups. An NPI counts once within
 * one TIN; the same NPI under another TIN or business name is another member. A group without a readable TIN is skipped
 * with its NPIs.
 *
 * @param fallbackName business name of TINs without one
 * @returns true if a TIN got the fallback name
 */
export function addProviderGroups(
  groups: Iterable<PublishedObject | undefined>,
  open: OpenGroup,
  { units }: Findings,
  fallbackName?: string,
): boolean {
  let isFallbackUsed = false
  for (const group of groups) {
    units.groups.published++
    const content = group && readGroup(group, units.npis)
    if (group === undefined || content === undefined) {
      units.groups.skipped++
      continue
    }
    addNpis(group, content.npis, open, units.npis)
    const name = content.tin.name ?? readNameBesideTin(group)
    if (name === undefined && fallbackName !== undefined) isFallbackUsed = true
    addTin(open, content.tin, name ?? fallbackName)
  }
  return isFallbackUsed
}

const groupFields: ReadonlySet<string> = new Set(['npi', 'tin', 'business_name'])
const tinFields: ReadonlySet<string> = new Set(['type', 'value', 'business_name'])

interface Tin {
  readonly type: string
  /** At least one digit. */
  readonly value: string
  /** The business name within the TIN. */
  readonly name: string | undefined
}

/** Reads the NPIs, as published, and the TIN of a group; undefined, with a finding counted, if it lacks either. */
function readGroup(
  group: PublishedObject,
  tally: UnitTally,
): { readonly npis: readonly unknown[]; readonly tin: Tin } | undefined {
  group.countUnknown(groupFields)
  // A TIN with an empty list says what the schema writes as [0]; without a list, the group says nothing.
  const isWholeTin = group.array('npi')?.length === 0
  const npis = isWholeTin ? [0] : group.list('npi')
  if (npis.length === 0) return group.count('unfit-group', 'npi')
  tally.published += npis.length
  const tin = readTin(group)
  if (tin === undefined) {
    tally.skipped += npis.length
    return group.count('unfit-tin', 'tin')
  }
  if (isWholeTin) group.count('whole-tin', 'npi')
  return { npis, tin }
}

/** Publishers write an EIN with its hyphen and without. Source: CMS schema, `tin.value`. */
function readTin(group: PublishedObject): Tin | undefined {
  const tin = group.object('tin')
  tin?.countUnknown(tinFields)
  const published = tin?.text('type')
  if (tin === undefined || published === undefined) return undefined
  const digits = (tin.text('value') ?? tin.digits('value'))?.replace(/\D/g, '')
  if (digits === undefined) return undefined
  const name = readBusinessName(tin)
  if (digits === '') return undefined
  const { value: listed, finding } = readListedValue('type', published)
  if (finding !== undefined) group.count(finding, 'tin.type')
  const type = foldWhiteSpace(listed).toLowerCase()
  const value = type === 'ein' ? restoreEin(digits) : digits
  if (value !== digits) group.count('short-ein', 'tin.value')
  return { type, value, name }
}

function addNpis(group: PublishedObject, npis: readonly unknown[], open: OpenGroup, tally: UnitTally): void {
  for (const [index, published] of npis.entries()) {
    const npi = readNpi(published)
    if (npi !== undefined) {
      open.npis.push(npi)
      continue
    }
    group.count('unfit-npi', 'npi', index)
    tally.skipped++
  }
}

/** Reads the business name in a TIN, a group or a reference, with its white space folded. */
export const readBusinessName = (object: PublishedObject): string | undefined =>
  foldWhiteSpace(object.optionalText('business_name') ?? '') || undefined

/** Reads a business name that a group has beside its TIN instead of within it. */
function readNameBesideTin(group: PublishedObject): string | undefined {
  const name = readBusinessName(group)
  if (name !== undefined) group.count('name-beside', 'business_name')
  return name
}

function addTin(open: OpenGroup, { type, value }: Tin, name: string | undefined): void {
  const { texts } = open
  open.addTin(texts.add(type), texts.add(value), name === undefined ? undefined : texts.add(name))
}

/**
 * Reads an NPI: ten digits, or 0 for a whole TIN, as a number or as a text that is one. Its check digit is not tested:
 * even the examples of CMS fail it, and a rate is worth more than a check digit.
 */
function readNpi(value: unknown): number | undefined {
  const number = typeof value === 'string' ? parseNumber(value) : value
  if (!isNumber(number)) return undefined
  const npi = typeof number === 'object' ? readExactInteger(number) : number
  if (npi === undefined || npi === 0) return npi
  return Number.isInteger(npi) && npi >= 1_000_000_000 && npi <= 9_999_999_999 ? npi : undefined
}

/** Reads an integer by its characters: a float would read 1e-400 as 0, and 1000000001.00000001 as an NPI. */
function readExactInteger({ characters }: PublishedNumber): number | undefined {
  const exact = parseExactRate(characters)
  if (exact === undefined || exact.rounded || exact.tenThousandths % 10_000n !== 0n) return undefined
  return Number(exact.tenThousandths / 10_000n)
}
