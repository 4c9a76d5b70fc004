import { type Html, html } from './html.ts'
import type { SchemaObject } from './openapi-document.ts'

/** The name of the component that a reference points to. */
export const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? ''

/** Describes what a schema allows in words: type, range, length, format. */
export function describeType(schema: SchemaObject): Html {
  const { $ref, anyOf, oneOf, type, items } = schema
  if ($ref !== undefined) return html`<a href="#${nameOf($ref)}">${nameOf($ref)}</a>`
  const options = anyOf ?? oneOf
  if (options) return join(options.map(describeType), ' or ')
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum)
    return join(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ', ',
    )
  if (type === 'array' && items) return html`array of ${describeItems(schema)}${describeType(items)}`
  const facts = [describeRange(schema), describeLength(schema), describeFormat(schema)].filter((fact) => fact !== '')
  return html`${[type ?? 'any value', ...facts].join(', ')}`
}

function describeItems({ minItems, maxItems }: SchemaObject): string {
  if (maxItems !== undefined) return `${number(minItems ?? 0)} to ${number(maxItems)}: `
  return minItems === undefined ? '' : `${number(minItems)} or more: `
}

function describeRange({ minimum, maximum }: SchemaObject): string {
  if (minimum !== undefined && maximum !== undefined) return `${number(minimum)} to ${number(maximum)}`
  return minimum === undefined ? '' : `${number(minimum)} or more`
}

function describeLength({ minLength, maxLength }: SchemaObject): string {
  if (maxLength !== undefined) return `at most ${number(maxLength)} characters`
  return minLength === undefined ? '' : `${number(minLength)} or more characters`
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  uri: 'URL',
  date: 'date',
  'date-time': 'date and time (ISO 8601)',
}

const describeFormat = ({ format }: SchemaObject) => (format === undefined ? '' : (formats[format] ?? format))

const number = (value: number) => value.toLocaleString('en-US')

function join(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`
}
