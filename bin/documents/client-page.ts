import type { OpenApiDocument } from '../../contract/openapi/openapi-document.ts'
import { writeGreatest } from './client-types.ts'

/** A declaration of a source file with its docstring. */
interface Documented {
  readonly signature: string
  readonly docs: string
}

/**
 * Generates docs/client.md from the docstrings of the client.
 *
 * @param readText reads a source of the client
 * @param document has the numbers of the client's defaults
 */
export function describeClient(readText: (path: string) => string, document: OpenApiDocument): string {
  const readDocumented = (file: string) => documentedIn(writeGreatest(readText(`client/${file}`), document))
  const [intro, ...ownMethods] = readDocumented('rate-search-client.ts')
  const calls = ['search-calls.ts', 'list-calls.ts'].flatMap(readDocumented)
  const methods = [...calls.filter(({ signature }) => /^(async )?\*?\w+\(/.test(signature)), ...ownMethods]
  const parts = [
    '# The client',
    'Written by `npm run schema` from the docstrings in `client/`: change them there.',
    'The package `rate-search` has no dependency. It runs on Node 20.3 or later; all but `download` also in browsers. It is\nnot in the npm registry: [client/README.md](../client/README.md) says how to install it. Its command line is explained\nby `rate-search --help`, and its types are those of [openapi.json](openapi.json).',
    intro === undefined ? '' : explain(intro.docs),
    '## Methods',
    ...methods.flatMap(({ signature, docs }) => [`### ${nameOf(signature)}`, signatureOf(signature), explain(docs)]),
    '## Options',
    ...describeOptions([...readDocumented('transport.ts'), ...calls, ...readDocumented('downloads/download.ts')]),
    '## Errors',
    ...readDocumented('errors.ts')
      .filter(({ signature }) => signature.startsWith('export class'))
      .map(({ signature, docs }) => wrap(`- \`${/class (\w+)/.exec(signature)?.[1]}\`: ${oneLine(docs)}`))
      .join('\n')
      .split('\n\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Interfaces and the fields below them, as lists. */
function describeOptions(declarations: readonly Documented[]): string[] {
  const parts: { head: string; fields: string[] }[] = []
  for (const { signature, docs } of declarations) {
    const name = /^export interface (\w+)/.exec(signature)?.[1]
    const field = /^readonly (\w+)\??: (.*)$/.exec(signature)
    if (name !== undefined) parts.push({ head: `### ${name}\n\n${explain(docs)}`, fields: [] })
    else if (field !== null) parts.at(-1)?.fields.push(wrap(`- \`${field[1]}: ${field[2]}\`: ${oneLine(docs)}`))
    else if (/^(export )?class/.test(signature)) parts.push({ head: '', fields: [] })
  }
  return parts
    .filter(({ head }) => head.startsWith('### ') && !/### Call(Request|Answer)/.test(head))
    .map(({ head, fields }) => [head, fields.join('\n')].filter((part) => part !== '').join('\n\n'))
}

function documentedIn(text: string): readonly Documented[] {
  return [...text.matchAll(/^ *\/\*\*(.*?)\*\/\n *(readonly [^\n]*|.*?(?:\{|[^,(])$)/gms)].map(
    ([, docs = '', signature = '']) => ({
      docs: docs.replace(/^ *\* ?/gm, '').trim(),
      signature: signature.replace(/\s+/g, ' ').replace(/ \{$/, '').replace('( ', '(').replace(', )', ')').trim(),
    }),
  )
}

const nameOf = (signature: string) => /(\w+)\(/.exec(signature)?.[1] ?? signature

/** Not an example to run. */
const signatureOf = (text: string) => `\`\`\`ts signature\n${text}\n\`\`\``

const code = (text: string) => `\`\`\`ts\n${text}\n\`\`\``

/** Prose, then tags as a list, then the example. */
function explain(docs: string): string {
  const [prose = '', ...tags] = docs.split(/^@/m)
  const tagTexts = tags.map((tag) => {
    const [, name = '', text = ''] = /^(\w+) ?(.*)$/s.exec(tag.trim()) ?? []
    if (name === 'example') return code(text.trim())
    if (name === 'throws') return `Throws ${flat(text)}.`
    return name === 'param' ? `\`${flat(text).replace(' ', '`: ')}.` : ''
  })
  return [links(prose.trim()), ...tagTexts].filter((part) => part !== '').join('\n\n')
}

const oneLine = (docs: string) =>
  links(flat(docs.replace(/@default - /g, 'Default: ').replace(/@default (\S+)/g, 'Default: $1.')))

/** An item of a list in lines of at most 120 characters. */
const wrap = (item: string) => item.replace(/(.{1,118})(?: |$)/g, '$1\n  ').trimEnd()

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

const links = (text: string) => text.replace(/\{@link (\w+)\}/g, '`$1`')
