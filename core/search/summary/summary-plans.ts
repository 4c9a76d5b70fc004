/** The SQL by which plans and files become numbers, as terms do (docs/adr/0071). */

/** The common table with the requested fee schedules and their numbers. */
export const numberedPlans = 'numbered_plans'

/** The number of a payer and plan. */
export const planNumber = 'plan_number'

/**
 * Writes the SELECT of the table `numberedPlans`. Numbers are ranks, because Trino computes the table each time that it
 * is read.
 *
 * @param feeSchedules the SELECT of the requested fee schedules, with a row for each of their sources
 */
export const numberPlans = (feeSchedules: string): string =>
  [
    `SELECT *, dense_rank() OVER (ORDER BY payer, plan) AS ${planNumber},`,
    '  dense_rank() OVER (ORDER BY price_id_prefix) AS prefix_number,',
    '  dense_rank() OVER (ORDER BY source_id) AS file_number',
    `FROM (${feeSchedules}) AS fee_schedules`,
  ].join('\n')

/** The join of groups of prices to the plans that their numbers stand for. */
export const namePlans = [
  `JOIN (SELECT DISTINCT payer, plan, ${planNumber} FROM ${numberedPlans}) AS named_plans`,
  `  ON named_plans.${planNumber} = groups_of_prices.${planNumber}`,
].join('\n')
