import { maxFacts } from '../../core/catalogue/plan-facts.ts'
import { maxListed } from '../../schema/summary/definition.ts'
import { GroupReader } from '../decode/by-bytes/group-reader.ts'
import { ReferenceReader } from '../decode/by-bytes/reference-reader.ts'
import type { ScannedGroups } from '../decode/by-bytes/scanned-rates.ts'
import type { Findings } from '../decode/findings.ts'
import type { ProviderReference } from '../decode/in-network-file.ts'
import { type Position, pathOf } from '../decode/json/json-object.ts'
import { isId } from '../decode/json/published-number.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import { addProviderGroups, type InlineGroup } from '../decode/provider-groups.ts'
import type { PublishedObject } from '../decode/published-object.ts'
import type { Element } from '../decode/read-values.ts'
import type { Networks } from './groups/group-fields.ts'
import { InlineGroups } from './groups/inline-groups.ts'
import { ReferenceGroups } from './groups/reference-groups.ts'
import { fact, References } from './groups/references.ts'
import type { RowFilter } from './row-filter.ts'
import { toTexts } from './stored-value.ts'

/** Collects the provider groups of a file: those of references, and inline groups. */
export class ProviderCollector implements Disposable {
  readonly references: References
  readonly referenceGroups: ReferenceGroups
  /** Reads references from their bytes, for `addScannedReference`. */
  readonly scannedReferences: ReferenceReader
  readonly inline: InlineGroups
  /** The names of the networks, no more than an entry of the catalogue keeps. */
  readonly networks = new Set<string>()
  readonly #findings: Findings
  readonly #filter: RowFilter
  /** True if a filter of NPIs or networks is set. */
  readonly #isFiltered: boolean
  /** Networks by the array of their names, which references that were read from their bytes share. */
  readonly #networksOf = new WeakMap<readonly string[], Networks>()

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string, findings: Findings, filter: RowFilter, newSeed: NewSeed) {
    this.references = new References(newSeed)
    this.inline = new InlineGroups(folder, filter, newSeed)
    this.referenceGroups = new ReferenceGroups(folder, this.references, filter.npis, newSeed)
    const groups = new GroupReader(this.referenceGroups.store)
    this.scannedReferences = new ReferenceReader(groups, this.references.ids, newSeed)
    this.#isFiltered = filter.npis !== undefined || filter.keepsNetworks !== undefined
    this.#findings = findings
    this.#filter = filter
  }

  /**
   * Defines a reference by the groups that were read into the store before.
   *
   * @param reference undefined if it is unusable; its groups are dropped with it
   * @param position index of the reference in its file
   */
  addReference(reference: ProviderReference | undefined, position: number): void {
    this.references.isAnyDefined = true
    const id = reference?.providerGroupId
    if (reference === undefined || !isId(id)) {
      if (reference !== undefined) this.#findings.count('unfit-reference', reference.at, 'provider_group_id')
      this.#skip()
      return
    }
    if (!reference.isDefined) {
      this.#findings.count('unfit-reference', reference.at, 'provider_groups')
      this.#skip()
    }
    const number = this.references.ids.numberOf(id)
    this.#define(number, reference.networkName, position)
  }

  /** Defines the reference that `scannedReferences` has read last. */
  addScannedReference(position: Element): void {
    const { id, networkName, groups } = this.scannedReferences
    this.#countPublished(groups, position)
    this.#define(id.number, networkName, position.index)
  }

  #define(number: number, networkName: readonly string[], position: number): void {
    const networks = this.#readNetworks(networkName)
    if (networkName.length > maxListed)
      this.#findings.count('many-networks', { path: `provider_references[${position}]` }, 'network_name')
    // Even without providers a reference is defined, so that no other id with its numeric value takes its place.
    this.references.define(number, position)
    this.referenceGroups.define(number, networks)
  }

  #readNetworks(published: readonly string[]): Networks {
    const sharedNetworks = this.#networksOf.get(published)
    if (sharedNetworks !== undefined) return sharedNetworks
    for (const name of published) if (this.networks.size < maxFacts) this.networks.add(name)
    const networks = { names: toTexts(published), isKept: this.#filter.keepsNetworks?.(published) ?? true }
    this.#networksOf.set(published, networks)
    return networks
  }

  /** Notes that the file with a reference's groups is missing. */
  addMissing({ providerGroupId: id }: ProviderReference): void {
    if (isId(id)) this.references.note(this.references.ids.numberOf(id), fact.missing)
  }

  /**
   * True if the filter certainly leaves out all groups that a rate names. References that the file defines later are
   * not known yet, and not left out.
   *
   * @param references numbers of ids; those from `first` to `end` are the rate's
   */
  leavesOut(
    inline: InlineGroup,
    references: readonly (number | undefined)[],
    first = 0,
    end = references.length,
  ): boolean {
    if (!this.#isFiltered || typeof inline === 'number' || (inline === undefined && first === end)) return false
    return references.slice(first, end).every((id) => id !== undefined && this.references.isLeftOut(id))
  }

  /** Adds the inline groups of a price (schema 1.x). */
  addInlineGroups(groups: Iterable<PublishedObject | undefined>): InlineGroup {
    addProviderGroups(groups, this.inline.store, this.#findings)
    return this.inline.end()
  }

  /** Adds inline groups that were read from their bytes. @param rate the position of their rate */
  addScannedGroups(groups: ScannedGroups, rate: Position): InlineGroup {
    this.#countPublished(groups, rate)
    return groups.group
  }

  #countPublished({ groupCount, npiCount, shortEins }: Omit<ScannedGroups, 'group'>, parent: Position): void {
    const { groups, npis } = this.#findings.units
    groups.published += groupCount
    npis.published += npiCount
    for (const index of shortEins)
      this.#findings.count('short-ein', {
        get path() {
          return `${pathOf(parent)}.provider_groups[${index}].tin.value`
        },
      })
  }

  [Symbol.dispose](): void {
    this.inline.npis[Symbol.dispose]()
  }

  #skip(): void {
    const { groups, npis } = this.#findings.units
    const open = this.referenceGroups.store.dropOpen()
    // A reference without any readable group counts as one.
    if (open.tins === 0) groups.published++
    groups.skipped += Math.max(1, open.tins)
    npis.skipped += open.members
  }
}
