import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { hostileNames } from '../conformance/refusals/hostile-names.ts'

export const hostilePlan = { payer: "O'Brien's \\ Health 💉", plan: "x'); DROP TABLE rates; --" }

/** Codes of arbitrary characters: a payer may write anything as a code. */
export const hostileCodes = hostileNames.map(([, name]) => [...name].slice(0, 30).join('').trim().toUpperCase())

/** A file of one plan whose names and codes contain everything that could break careless SQL. */
export const hostileFile = buildFile({
  reporting_entity_name: hostilePlan.payer,
  issuer_name: hostilePlan.payer,
  plan_name: hostilePlan.plan,
  in_network: hostileCodes.map((code) => buildItem({ billing_code: code, name: code, description: code })),
})
