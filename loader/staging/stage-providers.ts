import type { DuckDBValue } from '@duckdb/node-api'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { GroupFilter } from '../filter/group-filter.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { InlineGroup } from '../inline-groups/inline-groups.ts'
import { InlineGroups } from '../inline-groups/inline-groups.ts'
import type { PlainGroups } from '../plain/plain-groups.ts'
import type { Findings } from '../published/findings.ts'
import type { ProviderGroup, ProviderReference } from '../published/in-network-file.ts'
import type { PublishedId } from '../published/values/published-number.ts'
import { charactersOf, isId } from '../published/values/published-number.ts'
import { plainNumberOf, referenceNumberOf } from '../published/values/reference-number.ts'
import type { GroupTables } from './group-tables.ts'
import { createGroupTables, escapeKey } from './group-tables.ts'
import { toList, toText } from './staged-value.ts'
import type { StagingDatabase } from './staging-database.ts'
import type { TinMembers } from './tin-members.ts'
import { countNpis, gatherMembers } from './tin-members.ts'

/** Ids of references whose numeric value is known to be staged; when there are more, all are forgotten. */
const maxKnownVariants = 200_000

/** Stages the provider groups of a file: references in the staging database, inline groups in memory. */
export class ProviderStage {
  readonly inline: InlineGroups
  /** Whether any reference is defined. */
  hasReferences = false
  #tables: GroupTables
  readonly #findings: Findings
  readonly #rowFilter: RowFilter
  readonly #filter: GroupFilter
  readonly #knownVariants = new Set<bigint>()
  readonly #pending: Members[] = []
  #definition = 0
  #tin = 0

  /**
   * @param database of the first part of the file
   * @param folder an empty local folder; the caller removes it
   */
  static async create(
    database: StagingDatabase,
    folder: string,
    findings: Findings,
    filter: RowFilter,
  ): Promise<ProviderStage> {
    return new ProviderStage(await createGroupTables(database, filter), folder, findings, filter)
  }

  private constructor(tables: GroupTables, folder: string, findings: Findings, filter: RowFilter) {
    this.#filter = new GroupFilter(filter)
    this.inline = new InlineGroups(folder, this.#filter, filter)
    this.#tables = tables
    this.#findings = findings
    this.#rowFilter = filter
  }

  /** Stages what follows in the next part of the file. */
  async startPart(database: StagingDatabase): Promise<void> {
    this.#tables = await createGroupTables(database, this.#rowFilter)
    this.#knownVariants.clear()
    this.inline.startPart()
  }

  /** Adds groups of the reference that the next `addReference` names. */
  addGroups(groups: Iterable<ProviderGroup | undefined>): void {
    const tins = gatherMembers(groups, this.#findings)
    if (tins.length > 0) this.#pending.push(this.#addMembers(tins))
  }

  /**
   * Defines a reference by the groups that were added before. A large one has several definitions, which are merged like
   * all definitions of one key.
   *
   * @param reference undefined if it is unusable: its groups are dropped
   * @param place index of the reference in its file: parts of one reference are not a repetition
   */
  addReference(reference: ProviderReference | undefined, place: number): void {
    this.hasReferences = true
    const pending = this.#pending.splice(0)
    const id = reference?.providerGroupId
    if (reference === undefined || !isId(id)) {
      if (reference !== undefined) this.#findings.count('unfit-reference', reference.at, 'provider_group_id')
      this.#skip(pending)
      return
    }
    if (reference.groups === undefined && reference.location === undefined) {
      this.#findings.count('unfit-reference', reference.at, 'provider_groups')
      this.#skip(pending)
    }
    const definition = { number: this.numberOf(id), id: charactersOf(id), place, networkName: reference.networkName }
    // Without members it is still defined: no other id may take its place.
    for (const members of pending.length > 0 ? pending : [this.#addMembers([])]) this.#define(members, definition)
  }

  /** Notes that the file with a reference's groups is missing. */
  addMissing({ providerGroupId: id }: ProviderReference): void {
    if (isId(id)) this.#tables.missing.add({ number: this.numberOf(id) })
  }

  /** The number of an id while prices and groups are joined. */
  numberOf(id: PublishedId): bigint {
    const plain = plainNumberOf(id)
    if (plain !== undefined) return plain
    const { number, value } = referenceNumberOf(id)
    if (value !== undefined && value !== number && !this.#knownVariants.has(number)) {
      if (this.#knownVariants.size >= maxKnownVariants) this.#knownVariants.clear()
      this.#knownVariants.add(number)
      this.#tables.variants.add({ number, value })
    }
    return number
  }

  /** Whether the filter leaves out any groups. */
  get isFiltered(): boolean {
    return this.#filter.isActive
  }

  /** Whether the filter leaves out all groups that a rate names, as far as they are known: the file may define them later. */
  leavesOut(references: readonly unknown[]): boolean {
    return this.isFiltered && references.every((id) => isId(id) && this.#filter.isLeftOut(this.numberOf(id)))
  }

  #skip(pending: readonly Members[]): void {
    const { groups, npis } = this.#findings.units
    const skipped = pending.reduce((sum, { tinCount }) => sum + tinCount, 0)
    // A reference without any readable group counts as one.
    if (skipped === 0) groups.published++
    groups.skipped += Math.max(1, skipped)
    npis.skipped += pending.reduce((sum, { rowCount }) => sum + rowCount, 0)
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

  #addMembers(tins: readonly TinMembers[]): Members {
    const definition = this.#definition++
    for (const { type, value, businessName, npis } of tins) {
      const tin = this.#tin++
      const columns: Readonly<Record<ColumnsOf<'tin'>, string | null>> = {
        tin_type: toText(type),
        tin_value: value,
        tin_business_name: toText(businessName),
      }
      this.#tables.tins.add({ tin, definition, ...columns })
      for (const npi of npis) this.#stageMember(tin, npi)
    }
    const rowCount = tins.reduce((sum, { npis }) => sum + npis.length, 0)
    const isKept = this.#filter.isActive && this.#filter.keepsMembers(tins)
    return { definition, npiCount: countNpis(tins), rowCount, tinCount: tins.length, isKept }
  }

  #stageMember(tin: number, npi: number): void {
    const { columns } = this.#tables.members
    const row = this.#tables.members.addRow()
    columns.tin.items[row] = tin
    columns.npi.items[row] = npi
  }

  #define(members: Members, { number, id, place, networkName }: Definition): void {
    const { definition, npiCount, rowCount } = members
    const keepsNetworks = this.#filter.keepsNetworks(networkName)
    if (rowCount > 0) this.#filter.note(number, members.isKept && keepsNetworks)
    const columns: Readonly<Record<ColumnsOf<'reference'>, DuckDBValue>> = {
      network_name: toList(networkName),
      provider_group_id: toText(id),
    }
    this.#tables.definitions.add({
      definition,
      number,
      key: toText(escapeKey(id)),
      ...columns,
      place,
      npi_count: npiCount,
      row_count: rowCount,
      keeps_networks: keepsNetworks,
    })
  }
}

interface Members {
  readonly definition: number
  readonly npiCount: number
  readonly rowCount: number
  /** About as many as it has provider groups. */
  readonly tinCount: number
  /** Whether a filter keeps any of its NPIs. */
  readonly isKept: boolean
}

interface Definition {
  readonly number: bigint
  readonly id: string
  readonly place: number
  readonly networkName: readonly string[]
}
