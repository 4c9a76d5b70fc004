import { buildFile, buildGroup, buildItem, buildPrice } from '../builders/in-network-builder.ts'

export const edgePlan = { payer: 'Edge Payer', plan: 'Edge Plan' }

/** Codes with the edge values, one in each file, and codes that all files have. */
export const edgeCodes = ['MAX0', 'MAX1', 'MAX2', '99213', '0450']

/** Stands for the largest amount, whose 18 digits a number of JavaScript would round. */
const largestPlaceholder = 77777.5

const edgeRate = {
  provider_groups: [buildGroup({ npi: [1000100002, 1000100010], tin: { type: 'ein', value: '111111111' } })],
  negotiated_prices: [
    buildPrice({ negotiated_rate: largestPlaceholder, expiration_date: '9999-12-31' }),
    buildPrice({ negotiated_rate: 0.0001, expiration_date: '0001-01-01' }),
    buildPrice({ negotiated_rate: 0, expiration_date: '1582-10-10', billing_code_modifier: ['', ' 26 '] }),
    buildPrice({ negotiated_rate: 12.345, expiration_date: '1900-02-28', additional_information: '' }),
  ],
}

/**
 * Files of one plan with the edge values of a column's type: the largest and the smallest amount, the first and the
 * last date, a date that the Gregorian calendar skipped, and empty, padded and long texts. All files have two of the
 * codes, so that their prices are repeated.
 *
 * @returns the JSON text of each file
 */
export const edgeFiles: readonly string[] = [0, 1, 2].map((index) =>
  JSON.stringify(
    buildFile({
      reporting_entity_name: edgePlan.payer,
      issuer_name: edgePlan.payer,
      plan_name: edgePlan.plan,
      last_updated_on: index === 2 ? '9999-12-31' : '2026-08-01',
      in_network: [
        buildItem({ billing_code: '99213', name: ' padded ', description: '' }),
        buildItem({ billing_code: '0450', billing_code_type: 'RC', name: '', description: 'x'.repeat(3000) }),
        buildItem({ billing_code: `MAX${index}`, negotiated_rates: [edgeRate] }),
      ],
    }),
  ).replaceAll(String(largestPlaceholder), '99999999999999.9999'),
)
