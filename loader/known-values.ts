import type { NegotiatedPrice } from './in-network-file.ts'

/**
 * The values that the schemas 1.x and 2.x list. Others are loaded as published and counted: a search must not lose a
 * rate over a word. Source: CMS schema, in-network-rates.json.
 */
const codeTypes = new Set([
  ...['CPT', 'HCPCS', 'ICD', 'MS-DRG', 'R-DRG', 'S-DRG', 'APS-DRG', 'AP-DRG', 'APR-DRG'],
  ...['APC', 'NDC', 'HIPPS', 'LOCAL', 'EAPG', 'CDT', 'RC', 'CSTM-ALL'],
])
const arrangements = new Set(['ffs', 'bundle', 'capitation'])
const negotiatedTypes = new Set(['negotiated', 'derived', 'fee schedule', 'percentage', 'per diem'])
const billingClasses = new Set(['professional', 'institutional', 'both'])
const settings = new Set(['inpatient', 'outpatient', 'both'])

/** The field of an item that holds a value which the schema does not list; undefined where none does. */
export function findUnknownCode(type: string, arrangement: string): string | undefined {
  if (!codeTypes.has(type)) return 'billing_code_type'
  return arrangements.has(arrangement.toLowerCase()) ? undefined : 'negotiation_arrangement'
}

/** The field of a price that holds a value which the schema does not list; undefined where none does. */
export function findUnknownTerm({ negotiatedType, billingClass, setting }: NegotiatedPrice): string | undefined {
  if (!negotiatedTypes.has(negotiatedType.toLowerCase())) return 'negotiated_type'
  if (billingClass !== undefined && !billingClasses.has(billingClass.toLowerCase())) return 'billing_class'
  return setting === undefined || settings.has(setting.toLowerCase()) ? undefined : 'setting'
}
