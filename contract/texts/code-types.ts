/** A type of billing codes. */
interface CodeType {
  /**
   * Pattern of the words in front of a code by which people name its type (`CPT 99213`).
   *
   * @default - codes of the type are not written with their type
   */
  readonly prefix?: string
  /** Converts a code in upper case to the form in which codes are compared. @default - codes stay as written */
  readonly canonicalForm?: (code: string) => string
  /**
   * Number of digits up to which a file's code gets the leading zeros that spreadsheets and JSON numbers drop. A code
   * of a request does not get them: a search for the DRG 470 must not find the anaesthesia 00470.
   *
   * @default - files drop no zeros that the canonical form does not restore
   */
  readonly digits?: number
}

/**
 * The types of billing codes that the CMS schemas 1.x and 2.x list, with what differs between them. Source: CMS schema,
 * in-network-rates.json, `billing_code_type`.
 */
export const codeTypes = {
  CPT: { prefix: 'CPT', digits: 5 },
  HCPCS: { prefix: 'HCPCS' },
  ICD: {
    prefix: 'ICD(?:-?10)?(?:-?(?:CM|PCS))?',
    // ICD codes are the same with and without the dot (81.54, 8154).
    canonicalForm: (code) => (/^[A-Z0-9]+\.[A-Z0-9]+$/.test(code) ? code.replace('.', '') : code),
  },
  // MS-DRGs have three digits (CMS); files drop leading zeros or add some.
  'MS-DRG': { prefix: '(?:MS-?)?DRG', canonicalForm: (code) => setDigits(code, 3) },
  'R-DRG': { prefix: 'R-?DRG' },
  'S-DRG': { prefix: 'S-?DRG' },
  'APS-DRG': { prefix: 'APS-?DRG' },
  'AP-DRG': { prefix: 'AP-?DRG' },
  'APR-DRG': { prefix: 'APR-?DRG' },
  APC: { prefix: 'APC' },
  NDC: { prefix: 'NDC', canonicalForm: canonicalNdc },
  HIPPS: { prefix: 'HIPPS' },
  LOCAL: {},
  EAPG: { prefix: 'EAPG' },
  CDT: { prefix: 'CDT' },
  // Revenue codes have four digits (NUBC); files drop leading zeros or add some.
  RC: { prefix: 'RC|REV', canonicalForm: (code) => setDigits(code, 4) },
  'CSTM-ALL': {},
} as const satisfies Readonly<Record<string, CodeType>>

const typesByName: ReadonlyMap<string, CodeType> = new Map(Object.entries(codeTypes))

/** The code types whose canonical form may differ from the code as written. */
export const rewrittenCodeTypes: readonly string[] = [...typesByName].flatMap(([name, { canonicalForm }]) =>
  canonicalForm === undefined ? [] : [name],
)

/** The code types whose codes files may write in another form than rows have. */
export const foldedCodeTypes: readonly string[] = [...typesByName].flatMap(([name, { canonicalForm, digits }]) =>
  canonicalForm === undefined && digits === undefined ? [] : [name],
)

/** Pattern of the words in front of a code by which people name its type. */
export const codeTypePrefix: string = [...typesByName.values()].flatMap(({ prefix }) => prefix ?? []).join('|')

/**
 * Converts a code to the canonical form of its type; codes of other types stay as written.
 *
 * @param type in upper case
 * @param code in upper case
 */
export const toCanonicalForm = (type: string, code: string): string =>
  typesByName.get(type)?.canonicalForm?.(code) ?? code

/** Converts a code of a file to the form that rows have, as `toCanonicalForm`, but with the zeros that files drop. */
export function toLoadedForm(type: string, code: string): string {
  const canonical = toCanonicalForm(type, code)
  const digits = /^\d+$/.test(canonical) ? (typesByName.get(type)?.digits ?? 0) : 0
  return canonical.padStart(digits, '0')
}

/** Adds or removes leading zeros of a number until it has this many digits; other codes are unchanged. */
function setDigits(code: string, digits: number): string {
  return /^\d+$/.test(code) ? code.replace(/^0+/, '').padStart(digits, '0') : code
}

/** Hyphenated national drug codes are labeller-product-package; the 11 digits are these three padded to 5, 4 and 2. */
function canonicalNdc(code: string): string {
  // 4-4-2, 5-3-2 and 5-4-1 have ten digits, 5-4-2 has eleven; any other split is not a drug code.
  if (!/^(\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{5}-\d{4}-\d{1,2})$/.test(code)) return code
  return code.replace(
    /^(\d+)-(\d+)-(\d+)$/,
    (_, labeller: string, product: string, size: string) =>
      `${labeller.padStart(5, '0')}${product.padStart(4, '0')}${size.padStart(2, '0')}`,
  )
}
