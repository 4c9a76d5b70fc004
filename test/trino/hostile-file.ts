import { buildFile, buildGroup, buildItem, buildPrice } from '../builders/in-network-builder.ts'
import { hostileNames } from '../conformance/refusals/hostile-names.ts'

export const hostilePlan = { payer: "O'Brien's \\ Health 💉", plan: "x'); DROP TABLE rates; --" }

/** Codes of arbitrary characters: a payer may write anything as a code. */
export const hostileCodes = hostileNames.map(([, name]) => [...name].slice(0, 30).join('').trim().toUpperCase())

/** The code of an item whose prices each have an inline provider group, enough for several row groups. */
export const inlineCode = 'INLINE'

const npis = Array.from({ length: 40 }, (_, index) => (index === 0 ? 0 : 1_000_200_000 + index))

const inlineRates = Array.from({ length: 130 }, (_, index) => {
  const [, business_name] = hostileNames[index % hostileNames.length] ?? []
  const tin = {
    type: index % 7 === 0 ? 'npi' : 'ein',
    value: `${100_000_000 + index}`,
    ...(index > 60 && { business_name }),
  }
  return { provider_groups: [buildGroup({ npi: npis, tin })], negotiated_prices: [buildPrice()] }
})

/** A file of one plan whose names and codes contain everything that could break careless SQL. */
export const hostileFile = buildFile({
  reporting_entity_name: hostilePlan.payer,
  issuer_name: hostilePlan.payer,
  plan_name: hostilePlan.plan,
  in_network: [
    ...hostileCodes.map((code) => buildItem({ billing_code: code, name: code, description: code })),
    buildItem({ billing_code: inlineCode, negotiated_rates: inlineRates }),
  ],
})
