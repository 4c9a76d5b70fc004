import fc from 'fast-check'
import type { JsonRow } from '../json-row.ts'

/** Words that a key of joined texts could confuse with a missing value, a number, a separator or each other. */
export const confusableWords = [
  ...[
    'undefined',
    'null',
    'NaN',
    '[object Object]',
    'true',
    '',
    '0',
    '1',
    '1.0',
    '0.5',
    '450',
    '-',
    '~',
    '~1',
    '1:',
    '0:1:',
  ],
  ...[
    '|',
    '||',
    '/',
    ',',
    '","',
    '\u0000',
    'ein\u0000',
    '\ud800',
    '\udc00',
    '\udc00\ud800',
    'a\ud800',
    'a\udc00',
    '\ufffd',
  ],
] as const

/** Odd values that publishers write; texts between @ are written without quotes. */
const oddValue = fc.constantFrom(
  ...[undefined, null, true, '', ' ', 0, 5, 5.5, -1, 99213, 1000000001, [], {}, [null], [[]], ['11', 22, null, '']],
  ...['11', '10.5', '1,234.50', '10.5 %', '1e2', '@1.0@', '@5e-1@', '@1e-400@', '@1000000001.0@', '1000000002'],
  ...['0', '00', 'FFS', 'Fee-Schedule', 'per  diem', ' Outpatient', 'BOTH', 'MSDRG', 'DRG', 'cpt', '00450', '0470'],
  ...['EIN', 'barter', '2026-02-30', '2027-01-31', '12-3456789', 'é'],
  ...confusableWords,
)

/** Replaces a value anywhere in the items or references with an odd one. */
export function replaceOne(root: unknown, path: readonly number[], odd: unknown): unknown {
  const replace = (value: unknown, [step = 0, ...steps]: readonly number[], isRoot: boolean): unknown => {
    if (typeof value !== 'object' || value === null) return odd
    const keys = Object.keys(value).filter((key) => !isRoot || ['in_network', 'provider_references'].includes(key))
    const key = keys[step % keys.length]
    const child = key === undefined ? undefined : Reflect.get(value, key)
    const isDeep = steps.length > 0 && typeof child === 'object' && child !== null && Object.keys(child).length > 0
    if (key === undefined || (!isDeep && isRoot)) return value
    const next = isDeep ? replace(child, steps, false) : odd
    return Array.isArray(value)
      ? value.map((each, index) => (String(index) === key ? next : each))
      : { ...value, [key]: next }
  }
  return replace(root, path, true)
}

export const replacements = fc.array(fc.tuple(fc.array(fc.nat(11), { minLength: 3, maxLength: 8 }), oddValue), {
  minLength: 1,
  maxLength: 6,
})

/** Arbitrary filter lists of a load. */
export const anyFilter = fc.option(
  fc.record(
    {
      codes: fc.subarray(['450', '0450', '007', '7', '99213', 'cstm-00'], { minLength: 1 }),
      npis: fc.subarray([0, 1000000001, 1000000003, 1000000005], { minLength: 1 }),
      networks: fc.subarray(['Zeta', 'Alpha'], { minLength: 1 }),
    },
    { requiredKeys: [] },
  ),
)

type Filter = { readonly codes?: string[]; readonly npis?: number[]; readonly networks?: string[] } | null

/** The filter as an option of reading a file. */
export const filterOption = (filter: Filter) => (filter === null ? {} : { filter: { id: 'filter', ...filter } })

/** True if a load with this filter keeps a row. */
export function isKept(row: JsonRow, filter: Filter): boolean {
  const networks = Array.isArray(row['network_name']) ? row['network_name'] : []
  return (
    (filter?.codes?.some((code) => hasCode(row, code.toUpperCase())) ?? true) &&
    (filter?.npis?.includes(Number(row['npi'])) ?? true) &&
    (filter?.networks?.some((name) => networks.includes(name)) ?? true)
  )
}

function hasCode({ billing_code_type: type, billing_code: code }: JsonRow, searched: string): boolean {
  if (code === searched) return true
  const digits = type === 'RC' ? 4 : 3
  return (type === 'RC' || type === 'MS-DRG') && code === searched.padStart(digits, '0')
}
