import { few } from '../../../schema/summary/percentiles.ts'
import { percentileAt, type RateGroup } from '../rate-groups.ts'

/** Of this number of distinct amounts or fewer, each is written, however many prices have it. */
const maxListed = 3

/** Returns the distinct amounts of a group, ascending, each with the number of prices that have it. */
export const countAmounts = ({ prices }: RateGroup): ReadonlyMap<number, number> =>
  new Map([...Map.groupBy(prices, ({ rate }) => rate)].map(([rate, equal]) => [rate, equal.length]))

/** True if the amounts of a group say more than its quartiles, because its prices or their amounts are few. */
export const isListed = (group: RateGroup): boolean =>
  group.prices.length < few || countAmounts(group).size <= maxListed

/** The quartiles of a group, which the plot draws; its other percentiles are in the table. */
export const quartilesOf = (group: RateGroup) => ({
  first: percentileAt(group, 25),
  median: percentileAt(group, 50),
  third: percentileAt(group, 75),
})
