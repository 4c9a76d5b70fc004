import type { PartGroups } from '../inline-groups/inline-groups.ts'
import { inlineMark } from '../staging/group-tables.ts'
import { toLiteral } from '../staging/staged-value.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'

/** How much of a part may be held in memory while it is written. */
export interface HeldSizes {
  /** The most groups, items and terms together. */
  readonly shared: number
  /** The most prices. */
  readonly prices: number
}

/** Inline groups with their ranks among all groups of a part: they come after `before` references. */
export interface RankedInline extends PartGroups {
  readonly before: number
}

/** The prices of a part in the order of `negotiated_rates`, in the table `sorted`. */
export interface SortedPrices {
  /** Rows of `negotiated_rates`. */
  readonly rows: number
  /**
   * What a row of `sorted` is: a rate and a group that it names, whose prices are held in memory; a row of
   * `negotiated_rates` as numbers; or such a row, not yet sorted.
   */
  readonly form: 'rates' | 'prices' | 'unsorted prices'
  /** How many prices were staged. */
  readonly prices: number
  readonly inline: RankedInline
}

/**
 * Sorts the prices for `negotiated_rates` while a row is a few numbers: sorting whole rows takes several times as long,
 * and spills to disk. Most rates have several prices, so they are sorted in their stead where memory holds the prices.
 */
export async function sortPrices(
  database: StagingDatabase,
  inline: PartGroups,
  held: HeldSizes,
): Promise<SortedPrices> {
  await database.run(`
    CREATE TABLE ranked_items AS
    SELECT row_number() OVER (ORDER BY billing_code, billing_code_type, item)::uinteger AS item_rank, * FROM items`)
  await database.run(`
    CREATE TABLE ranked_groups AS
    SELECT (row_number() OVER (ORDER BY key) + if(${isBeforeInline}, 0, ${inline.count}))::uinteger AS group_rank, number, key
    FROM known_groups WHERE row_count > 0`)
  const [sizes] = await database.query(`
    SELECT (SELECT count(*) FROM ranked_groups WHERE ${isBeforeInline}) AS before, (SELECT count(*) FROM prices) AS prices,
      (SELECT count(*) FROM ranked_groups) + (SELECT count(*) FROM items) + (SELECT count(*) FROM terms) AS joined`)
  const [before, prices] = [Number(sizes?.['before']), Number(sizes?.['prices'])]
  const isSorted = Number(sizes?.['joined']) + inline.count <= held.shared
  const form = isSorted ? (prices <= held.prices ? 'rates' : 'prices') : 'unsorted prices'
  const rates = selectRanked({ ...inline, before })
  const select =
    form === 'rates'
      ? rates
      : `SELECT item_rank, group_rank, terms, negotiated_rate, ordinal FROM (${rates}) JOIN prices USING (rate)`
  await database.run(`CREATE TABLE sorted AS ${select} ${isSorted ? 'ORDER BY item_rank, group_rank' : ''}`)
  const [counted] = await database.query(
    form === 'rates'
      ? 'SELECT coalesce(sum(priced), 0)::bigint AS rows FROM sorted JOIN rates USING (rate)'
      : 'SELECT count(*) AS rows FROM sorted',
  )
  return { rows: Number(counted?.['rows']), form, prices, inline: { ...inline, before } }
}

/** Selects the rates, once for each group that they name, with the ranks of their items and groups. */
function selectRanked({ first, count, before }: RankedInline): string {
  const ofItems = 'JOIN (SELECT item, item_rank FROM ranked_items) USING (item)'
  const ofReferences = `
    SELECT item_rank, group_rank, rate FROM refs JOIN rates USING (rate) ${ofItems} JOIN ranked_groups USING (number)`
  // Most files have either references or inline groups: a query for both reads all rates twice.
  const ofInline = `
    UNION ALL
    SELECT item_rank, (inline_group - ${first} + ${before})::uinteger, rate FROM rates ${ofItems} WHERE inline_group > 0`
  return `${ofReferences}${count > 0 ? ofInline : ''}`
}

/** Whether the key of a reference's group comes before those of inline groups, which differ after their mark. */
const isBeforeInline = `key < ${toLiteral(inlineMark)}`
