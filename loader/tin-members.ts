import type { Findings } from './findings.ts'
import type { ProviderGroup, Tin } from './in-network-file.ts'
import type { PublishedId } from './published-number.ts'
import { charactersOf } from './published-number.ts'

/** The NPIs that one TIN has in one provider reference. */
export interface TinMembers {
  readonly type: string
  readonly value: string
  readonly businessName: string | undefined
  readonly npis: ReadonlySet<number>
}

/**
 * Gathers provider groups by TIN. An NPI counts once within one TIN; the same NPI under another TIN or business name is
 * another member.
 */
export function gatherMembers(groups: Iterable<ProviderGroup>, findings: Findings): readonly TinMembers[] {
  const gathered = new Map<string, Omit<TinMembers, 'npis'> & { readonly npis: Set<number> }>()
  for (const group of groups) {
    const identity = canonicalTin(group.tin)
    if (identity.value === '') {
      findings.count('unfit-tin', group.at, 'tin.value')
      continue
    }
    const key = `${identity.type}\u0000${identity.value}\u0000${identity.businessName}`
    const members = gathered.get(key) ?? { ...identity, npis: new Set<number>() }
    gathered.set(key, members)
    const { npis } = group
    for (let index = 0; index < npis.length; index++) {
      const npi = readNpi(npis[index] ?? '')
      if (npi === undefined) findings.count('unfit-npi', group.at, `npi[${index}]`)
      else members.npis.add(npi)
    }
  }
  return [...gathered.values()]
}

/** Distinct NPIs of all TINs together, 0 not counted. */
export function countNpis(tins: readonly TinMembers[]): number {
  const [first, ...others] = tins
  if (first === undefined) return 0
  const all = others.length === 0 ? first.npis : new Set(tins.flatMap(({ npis }) => [...npis]))
  return all.has(0) ? all.size - 1 : all.size
}

/** Publishers write an EIN with its hyphen and without. Source: CMS schema, `tin.value`. */
function canonicalTin({ type, value, businessName }: Tin): Omit<TinMembers, 'npis'> {
  return { type: type.trim().toLowerCase(), value: value.replace(/\D/g, ''), businessName }
}

/**
 * Reads an NPI: ten digits, or 0 for a whole TIN. Its check digit is not looked at, since even the examples of CMS fail
 * it, and a rate is worth more than its check digit.
 */
function readNpi(id: PublishedId): number | undefined {
  const npi = typeof id === 'number' ? id : parseNpi(charactersOf(id))
  return npi === 0 || (Number.isInteger(npi) && npi >= 1_000_000_000 && npi <= 9_999_999_999) ? npi : undefined
}

const parseNpi = (characters: string) => (/^[\d.eE+-]+$/.test(characters) ? Number(characters) : Number.NaN)
