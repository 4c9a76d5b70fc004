import { AwsRefusal } from '../aws-refusal.ts'

/** Formats an element that contains text. */
export function textElement(name: string, text: string | number | boolean): string {
  return `<${name}>${escapeXml(String(text))}</${name}>`
}

/** Formats an element that contains other elements, each already in XML. */
export function parentElement(name: string, children: readonly string[], namespace?: string): string {
  const attribute = namespace === undefined ? '' : ` xmlns="${namespace}"`
  return `<${name}${attribute}>${children.join('')}</${name}>`
}

/** Formats a document with this root element. */
export function xmlDocument(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`
}

/** Returns the text after each opening tag of this name, up to the next one. */
export function splitElements(document: string, name: string): string[] {
  return document.split(`<${name}>`).slice(1)
}

/**
 * Returns the text of the first element of this name.
 *
 * @throws AwsRefusal MalformedXML if there is none
 */
export function textOf(text: string, name: string): string {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  const start = text.indexOf(opening)
  const end = text.indexOf(closing, start)
  if (start === -1 || end === -1) throw malformedXml()
  return unescapeXml(text.slice(start + opening.length, end))
}

/** Refuses a document that lacks an element that the operation needs. */
export function malformedXml(): AwsRefusal {
  return new AwsRefusal(
    400,
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )
}

/** Decodes entities and character references in an element's text. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    if (name !== undefined) return entities.get(name) ?? whole
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/**
 * Escapes control characters as well: keys may contain them, and a parser would otherwise fold line ends or refuse the
 * document.
 */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  return text.replace(/[&<>"\u0000-\u001f\u007f]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`)
}
