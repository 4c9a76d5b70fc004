import fc from 'fast-check'
import type { Fields } from '../../builders/in-network-builder.ts'
import { replacements, replaceOne } from './odd-values.ts'

/** Values that replace a number, a text or another value in a file's JSON. Each one may be read wrongly. */
const numbers = ['1e2', '1E+2', '1.0', '-0', '0', '01', '1.', '.5', '-1.5', '1.23456', '1.50000', '1.00005', '+1']
const largeNumbers = ['99999999999', '123456789012.25', '99999999999999.99995', '1234567890123456', '1e-400']
const others = ['"100.5"', 'null', 'true', '{"a":1}', '[1]', '""', '"\\u0031"', '"}"', '"{"', '"]"', '"é"', '"\\""']
const value = fc.constantFrom(...numbers, ...largeNumbers, ...others)

const names = ['negotiated_rate', 'negotiated_prices', 'provider_references', 'provider_groups', 'negotiated_rates']
const name = fc.constantFrom(
  ...names,
  'service_code',
  'additional_information',
  'billing_class',
  'npi',
  'tin',
  'type',
  'value',
  '__proto__',
)

type Change = (text: string) => string

/** Returns a brace with a field after or before it; the closing one stays alone if the field comes before others. */
function addField(brace: string, field: string, isBefore: boolean): string {
  if (brace === '{') return `{${field},`
  return isBefore ? brace : `,${field}}`
}

/** Returns a text in which one match, chosen by a number, is replaced by a function's result. */
const changeOne = (text: string, pattern: RegExp, chosen: number, change: (match: string) => string): string => {
  const matches = [...text.matchAll(pattern)]
  const match = matches[chosen % Math.max(1, matches.length)]
  if (match === undefined) return text
  return text.slice(0, match.index) + change(match[0]) + text.slice(match.index + match[0].length)
}

/** A change of a file's text that JSON.parse may accept or refuse. */
const change: fc.Arbitrary<Change> = fc.oneof(
  // Another value of a field.
  fc.tuple(name, value, fc.nat()).map(
    ([field, other, chosen]) =>
      (text: string) =>
        changeOne(
          text,
          new RegExp(`"${field}":\\s*("[^"]*"|[\\d.]+|\\[[^\\][]*\\])`, 'g'),
          chosen,
          () => `"${field}":${other}`,
        ),
  ),
  // A field twice, before or after.
  fc.tuple(name, value, fc.nat(), fc.boolean()).map(
    ([field, other, chosen, isBefore]) =>
      (text: string) =>
        changeOne(text, /\{(?=")|(?<=["\d\]])\}/g, chosen, (brace) => addField(brace, `"${field}":${other}`, isBefore)),
  ),
  // A name or a text with an escape.
  fc
    .nat()
    .map(
      (chosen) => (text: string) =>
        changeOne(text, /"\w/g, chosen, (match) => `"\\u00${match.charCodeAt(1).toString(16)}`),
    ),
  // White space anywhere between tokens.
  fc.tuple(fc.constantFrom(' ', '\n', '\t\r\n  ', '\u00a0', '\ufeff', '\f'), fc.nat()).map(
    ([space, chosen]) =>
      (text: string) =>
        changeOne(text, /[,:[\]{}]/g, chosen, (mark) => `${space}${mark}${space}`),
  ),
  // A mark lost or doubled.
  fc.tuple(fc.boolean(), fc.nat()).map(
    ([isLost, chosen]) =>
      (text: string) =>
        changeOne(text, /[,:[\]{}"\\]/g, chosen, (mark) => (isLost ? '' : mark + mark)),
  ),
)

/** A byte anywhere in the text. */
const byteChange = fc.option(
  fc.tuple(fc.nat(), fc.constantFrom(0x00, 0x1f, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xc3, 0xff)),
  {
    freq: 3,
  },
)

const layouts = [undefined, 1, '\t'] as const

/**
 * Texts of generated files with odd values, odd JSON and odd bytes. Most have few faults, so that much of them is read.
 */
export function anyHostileText(anyFile: fc.Arbitrary<Fields>): fc.Arbitrary<Buffer> {
  const odd = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: replacements })
  const changes = fc.array(change, { maxLength: 2 })
  return fc
    .tuple(anyFile, odd, fc.constantFrom(...layouts), changes, byteChange)
    .map(([content, replaced, layout, textChanges, byte]) => {
      const hostile = replaced.reduce<unknown>((root, [path, other]) => replaceOne(root, path, other), content)
      const plain = JSON.stringify(hostile, undefined, layout).replace(/"@([^"@]*)@"/g, '$1')
      const bytes = Buffer.from(textChanges.reduce((text, apply) => apply(text), plain))
      if (byte !== null) bytes[byte[0] % bytes.length] = byte[1]
      return bytes
    })
}
