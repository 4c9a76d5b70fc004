import { uint32At } from '../../../schema/at.ts'
import { Float64List, Uint32List } from '../../decode/number-list.ts'
import type { TextList } from '../distinct/text-list.ts'
import { groupField, groupSize, type Networks, tinField, tinSize } from './group-fields.ts'

/** Provider groups as numbers; groups, TINs and members are numbered from 0. */
export class StoredGroups<Texts extends TextList = TextList> {
  /** Types, values and business names of TINs. */
  readonly texts: Texts
  /** By member. */
  readonly npis = new Float64List()
  /** By TIN, as `tinField` says. */
  readonly tins = new Uint32List()
  /** By group, as `groupField` says. */
  readonly groups = new Uint32List()
  readonly networkLists: Networks[] = []

  /** @param texts to which none was added */
  constructor(texts: Texts) {
    this.texts = texts
  }

  /** How many groups there are, without one that is open. */
  get count(): number {
    return this.groups.length / groupSize
  }

  /** A field of a group, as `groupField` says. */
  of(group: number, field: number): number {
    return uint32At(this.groups.items, group * groupSize + field)
  }

  mark(group: number, mark: number): void {
    this.groups.items[group * groupSize + groupField.mark] = mark
  }

  /** How many rows a group has. */
  rowsOf(group: number): number {
    return this.firstMember(this.firstTin(group + 1)) - this.firstMember(this.firstTin(group))
  }

  /** Whether the filter keeps the networks of a TIN. */
  keepsTin(tin: number): boolean {
    return this.networkLists[uint32At(this.tins.items, tin * tinSize + tinField.networks)]?.isKept ?? true
  }

  /** Where the TINs of a group begin, and those of the one before end. */
  firstTin(group: number): number {
    return group === 0 ? 0 : this.of(group - 1, groupField.endOfTins)
  }

  /** Where the members of a TIN begin, and those of the one before end. */
  firstMember(tin: number): number {
    return tin === 0 ? 0 : uint32At(this.tins.items, tin * tinSize - tinSize + tinField.endOfMembers)
  }

  /** A field of all TINs, as `tinField` says. */
  ofTins(field: number): Uint32Array {
    return pick(this.tins, tinSize, field)
  }

  /** A field of all groups, as `groupField` says. */
  ofGroups(field: number): Uint32Array {
    return pick(this.groups, groupSize, field)
  }

  /** The fields of a TIN, as `tinField` says. */
  fieldsOf(tin: number): Uint32Array {
    return this.tins.items.subarray(tin * tinSize, (tin + 1) * tinSize)
  }
}

/** One number of each record of a list. */
function pick({ items, length }: Uint32List, size: number, field: number): Uint32Array {
  const picked = new Uint32Array(length / size)
  for (let index = 0; index < picked.length; index++) picked[index] = uint32At(items, index * size + field)
  return picked
}
