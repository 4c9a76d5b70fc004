import type { GroupKeys } from '../columns/groups/group-keys.ts'
import type { Portion } from '../columns/portion.ts'
import { noReference } from './price-judge.ts'

/**
 * Passes the ranks of the groups that a rate names: its inline groups, and the references that make rows.
 *
 * @param portion whose references are those of `PriceJudge.judge`
 */
export function eachGroup({ numbers }: Portion, keys: GroupKeys, rate: number, take: (rank: number) => void): void {
  const { inlineGroups, firstReferences, references } = numbers
  const inline = inlineGroups.items[rate] ?? 0
  if (inline > 0) take(keys.rankOfInline(inline - 1))
  const end = firstReferences.items[rate + 1] ?? 0
  for (let index = firstReferences.items[rate] ?? 0; index < end; index++) {
    const number = references.items[index] ?? noReference
    if (number !== noReference) take(keys.rankOfReference(number))
  }
}
