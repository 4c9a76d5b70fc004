import { ReferenceGroups } from '../columns/reference-groups.ts'
import { References } from '../columns/references.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { type InlineGroup, InlineGroups } from '../inline-groups/inline-groups.ts'
import type { PlainGroups } from '../plain/plain-groups.ts'
import type { Findings } from '../published/findings.ts'
import type { ProviderGroup, ProviderReference } from '../published/in-network-file.ts'
import { keyOfValues } from '../published/published-column.ts'
import { isId } from '../published/values/published-number.ts'
import { toTexts } from './staged-value.ts'
import { gatherMembers, type TinMembers } from './tin-members.ts'

/** Takes the provider groups of a file: those of references, and inline groups. */
export class ProviderStage {
  readonly references = new References()
  readonly referenceGroups: ReferenceGroups
  readonly inline: InlineGroups
  /** Whether the filter leaves out any groups. */
  readonly isFiltered: boolean
  readonly #findings: Findings
  readonly #filter: RowFilter
  /** The groups of the next reference, as they were added. */
  readonly #pending: (readonly TinMembers[])[] = []

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string, findings: Findings, filter: RowFilter) {
    this.inline = new InlineGroups(folder, filter)
    this.referenceGroups = new ReferenceGroups(folder, this.references, filter.npis)
    this.isFiltered = filter.npis !== undefined || filter.keepsNetworks !== undefined
    this.#findings = findings
    this.#filter = filter
  }

  /** Adds groups of the reference that the next `addReference` names. */
  addGroups(groups: Iterable<ProviderGroup | undefined>): void {
    const tins = gatherMembers(groups, this.#findings)
    if (tins.length > 0) this.#pending.push(tins)
  }

  /**
   * Defines a reference by the groups that were added before.
   *
   * @param reference undefined if it is unusable: its groups are dropped
   * @param place index of the reference in its file
   */
  addReference(reference: ProviderReference | undefined, place: number): void {
    this.references.isAnyDefined = true
    const pending = this.#pending.splice(0)
    const id = reference?.providerGroupId
    if (reference === undefined || !isId(id)) {
      if (reference !== undefined) this.#findings.count('unfit-reference', reference.at, 'provider_group_id')
      this.#skip(pending.flat())
      return
    }
    if (reference.groups === undefined && reference.location === undefined) {
      this.#findings.count('unfit-reference', reference.at, 'provider_groups')
      this.#skip(pending.flat())
    }
    const number = this.references.ids.numberOf(id)
    const { networkName } = reference
    const networks = { names: toTexts(networkName), isKept: this.#filter.keepsNetworks?.(networkName) ?? true }
    // Without providers it is still defined: no other id may take its place.
    this.references.define(number, place)
    this.referenceGroups.add(number, uniteTins(pending), networks)
  }

  /** Notes that the file with a reference's groups is missing. */
  addMissing({ providerGroupId: id }: ProviderReference): void {
    if (isId(id)) this.references.miss(this.references.ids.numberOf(id))
  }

  /** Whether the filter leaves out all groups that a rate names, as far as they are known: the file may define them later. */
  leavesOut(references: readonly unknown[]): boolean {
    const { ids } = this.references
    return this.isFiltered && references.every((id) => isId(id) && this.references.isLeftOut(ids.numberOf(id)))
  }

  /** Adds the inline groups of a price (schema 1.x). */
  addInlineGroups(groups: Iterable<ProviderGroup | undefined>): InlineGroup {
    return this.inline.add(gatherMembers(groups, this.#findings))
  }

  /**
   * As `addInlineGroups`, for groups that were read from their bytes.
   *
   * @param npiCount how many NPIs they have, as published
   */
  addPlainGroups(groups: PlainGroups, npiCount: number): InlineGroup {
    const { units } = this.#findings
    units.groups.published += groups.tinCount
    units.npis.published += npiCount
    return this.inline.addPlain(groups)
  }

  #skip(tins: readonly TinMembers[]): void {
    const { groups, npis } = this.#findings.units
    // A reference without any readable group counts as one.
    if (tins.length === 0) groups.published++
    groups.skipped += Math.max(1, tins.length)
    npis.skipped += tins.reduce((sum, tin) => sum + tin.npis.length, 0)
  }
}

/** The TINs of a reference: one whose groups were added in several calls has each TIN once. */
function uniteTins(pending: readonly (readonly TinMembers[])[]): readonly TinMembers[] {
  const [first = [], ...others] = pending
  if (others.length === 0) return first
  const united = new Map<string, TinMembers & { readonly npis: number[] }>()
  for (const tin of pending.flat()) {
    const key = keyOfValues([tin.type, tin.value, tin.businessName])
    const known = united.get(key)
    if (known === undefined) united.set(key, { ...tin, npis: [...tin.npis] })
    else for (const npi of tin.npis) known.npis.push(npi)
  }
  return [...united.values()]
}
