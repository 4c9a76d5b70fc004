import type { Findings } from './findings.ts'
import type { ProviderGroup, ProviderReference, Tin } from './in-network-file.ts'
import type { Row } from './warehouse-row.ts'

/** A file's provider groups by key: the characters of `provider_group_id`, never compared as numbers. */
export type ProviderGroups = ReadonlyMap<string, GroupMembers>

/** Everyone whom a provider reference stands for; never empty. */
export interface GroupMembers {
  readonly tins: Iterable<TinMembers>
  /** Distinct NPIs of the whole reference, 0 not counted. */
  readonly npiCount: number
  /** How many rows the reference has in `provider_groups`. */
  readonly rowCount: number
}

interface TinMembers {
  readonly type: string
  readonly value: string
  readonly businessName: string | undefined
  readonly networkName: readonly string[]
  readonly npis: Set<number>
}

/**
 * Gathers the provider groups of a file. A group that is defined twice is the union of its definitions. An NPI counts
 * once within one TIN; the same NPI under another TIN, business name or network is another row.
 */
export function gatherProviderGroups(references: Iterable<ProviderReference>, findings: Findings): ProviderGroups {
  const tinsOf = new Map<string, Map<string, TinMembers>>()
  for (const reference of references) {
    const tins = tinsOf.get(reference.providerGroupId) ?? new Map<string, TinMembers>()
    tinsOf.set(reference.providerGroupId, tins)
    for (const group of reference.groups) addGroup(tins, group, reference.networkName, findings)
  }
  return new Map(
    [...tinsOf].flatMap(([key, tins]) => {
      const members = countMembers([...tins.values()])
      return members.rowCount === 0 ? [] : [[key, members] as const]
    }),
  )
}

/** The rows of `provider_groups`: one a reference, TIN and NPI. */
export function* flattenProviderGroups(groups: ProviderGroups): Generator<Row> {
  for (const [key, { tins, npiCount }] of groups) {
    for (const { type, value, businessName, networkName, npis } of tins) {
      for (const npi of npis) {
        yield {
          provider_group_key: key,
          npi,
          tin_type: type,
          tin_value: value,
          tin_business_name: businessName ?? null,
          network_name: networkName.length > 0 ? networkName : null,
          provider_group_id: key,
          provider_group_npi_count: npiCount,
        }
      }
    }
  }
}

function addGroup(
  tins: Map<string, TinMembers>,
  { path, npis, tin }: ProviderGroup,
  networkName: readonly string[],
  findings: Findings,
): void {
  const identity = { ...canonicalTin(tin), networkName }
  if (identity.value === '') {
    findings.count('unfit-tin', `${path}.tin.value`)
    return
  }
  const key = JSON.stringify(identity)
  const members = tins.get(key) ?? { ...identity, npis: new Set<number>() }
  tins.set(key, members)
  for (const [index, characters] of npis.entries()) {
    const npi = parseNpi(characters)
    if (npi === undefined) findings.count('unfit-npi', `${path}.npi[${index}]`)
    else members.npis.add(npi)
  }
}

/** Publishers write an EIN with its hyphen and without. Source: CMS schema, `tin.value`. */
function canonicalTin({ type, value, businessName }: Tin): Omit<TinMembers, 'networkName' | 'npis'> {
  return { type: type.trim().toLowerCase(), value: value.replace(/\D/g, ''), businessName }
}

/**
 * Reads an NPI: ten digits, or 0 for a whole TIN. Its check digit is not looked at, since even the examples of CMS fail
 * it, and a rate is worth more than its check digit.
 */
function parseNpi(characters: string): number | undefined {
  if (!/^[\d.eE+-]+$/.test(characters)) return undefined
  const npi = Number(characters)
  if (npi === 0) return 0
  return Number.isInteger(npi) && npi >= 1_000_000_000 && npi <= 9_999_999_999 ? npi : undefined
}

function countMembers(tins: readonly TinMembers[]): GroupMembers {
  const distinct = new Set<number>()
  for (const { npis } of tins) for (const npi of npis) distinct.add(npi)
  distinct.delete(0)
  return { tins, npiCount: distinct.size, rowCount: tins.reduce((sum, { npis }) => sum + npis.size, 0) }
}
