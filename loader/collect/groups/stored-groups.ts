import { uint32At } from '../../../schema/at.ts'
import { Float64List, Uint32List } from '../../decode/number-list.ts'
import type { TextList } from '../distinct/text-list.ts'
import { groupField, groupSize, type Networks, tinField, tinSize } from './group-fields.ts'

/** Provider groups as numbers; groups, TINs and members are numbered from 0. */
export class StoredGroups<Texts extends TextList = TextList> {
  /** Types, values and business names of TINs. */
  readonly texts: Texts
  /** NPIs by member. */
  readonly npis = new Float64List()
  /** The fields of `tinField` by TIN. */
  readonly tins = new Uint32List()
  /** The fields of `groupField` by group. */
  readonly groups = new Uint32List()
  readonly networkLists: Networks[] = []

  /** @param texts an empty list */
  constructor(texts: Texts) {
    this.texts = texts
  }

  /** Number of groups, without the open one. */
  get count(): number {
    return this.groups.length / groupSize
  }

  /** Returns a field of a group. @param field one of `groupField` */
  of(group: number, field: number): number {
    return uint32At(this.groups.items, group * groupSize + field)
  }

  setUse(group: number, use: number): void {
    this.groups.items[group * groupSize + groupField.use] = use
  }

  /** Returns the number of rows of a group. */
  rowsOf(group: number): number {
    return this.firstMember(this.firstTin(group + 1)) - this.firstMember(this.firstTin(group))
  }

  /** True if the filter keeps the networks of a TIN; a store of inline groups has none. */
  keepsTin(tin: number): boolean {
    return this.networkLists[uint32At(this.tins.items, tin * tinSize + tinField.networks)]?.isKept ?? true
  }

  /** Returns the start of a group's TINs, at which those of the group before end. */
  firstTin(group: number): number {
    return group === 0 ? 0 : this.of(group - 1, groupField.endOfTins)
  }

  /** Returns the start of a TIN's members, at which those of the TIN before end. */
  firstMember(tin: number): number {
    return tin === 0 ? 0 : uint32At(this.tins.items, tin * tinSize - tinSize + tinField.endOfMembers)
  }

  /** Returns a field of all TINs. @param field one of `tinField` */
  ofTins(field: number): Uint32Array {
    return pick(this.tins, tinSize, field)
  }

  /** Returns a field of all groups. @param field one of `groupField` */
  ofGroups(field: number): Uint32Array {
    return pick(this.groups, groupSize, field)
  }

  /** Returns the fields of a TIN, in the order of `tinField`. */
  fieldsOf(tin: number): Uint32Array {
    return this.tins.items.subarray(tin * tinSize, (tin + 1) * tinSize)
  }
}

/** Returns one number of each record of a list. */
function pick({ items, length }: Uint32List, size: number, field: number): Uint32Array {
  const column = new Uint32Array(length / size)
  for (let index = 0; index < column.length; index++) column[index] = uint32At(items, index * size + field)
  return column
}
