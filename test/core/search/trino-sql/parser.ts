import { parseS3Address } from '../../../../local/athena/s3-address.ts'
import { MalformedQuery } from './faults.ts'
import { parseCondition } from './parse-condition.ts'
import { parseExpression, parseInteger } from './parse-expression.ts'
import type { Compression, Ordering, Select, SelectItem, Statement, Unload } from './syntax.ts'
import { TokenReader } from './token-reader.ts'
import { readTokens } from './tokens.ts'

/**
 * Parses a statement in the grammar of `syntax.ts`.
 *
 * @throws MalformedQuery with the line and column of the first unexpected token
 */
export function parseStatement(text: string): Statement {
  const tokens = new TokenReader(readTokens(text))
  const statement = tokens.accept('unload') ? parseUnload(tokens) : parseSelect(tokens)
  tokens.take('end')
  return statement
}

/** Source: Athena User Guide, "UNLOAD". The service writes only Parquet, so other formats are not supported. */
function parseUnload(tokens: TokenReader): Unload {
  tokens.expect('(')
  const { place } = tokens
  const select = parseSelect(tokens)
  if (select.items === 'all') throw new MalformedQuery(place, 'UNLOAD takes named columns here, not *')
  tokens.expect(')', 'to')
  const destination = parseDestination(tokens)
  tokens.expect('with')
  return { kind: 'unload', select, destination, ...parseProperties(tokens) }
}

function parseDestination(tokens: TokenReader) {
  const { place } = tokens
  const address = parseS3Address(tokens.take('string'))
  if (address === undefined || (address.key !== '' && !address.key.endsWith('/')))
    throw new MalformedQuery(place, 'UNLOAD writes to a location of the form s3://bucket/prefix/')
  return address
}

type Property =
  | { readonly name: 'format'; readonly value: string }
  | { readonly name: 'compression'; readonly value: Compression }
  | { readonly name: 'partitioned_by'; readonly value: readonly string[] }

const compressions: readonly Compression[] = ['SNAPPY', 'ZSTD', 'GZIP', 'NONE']

function parseProperties(tokens: TokenReader): Pick<Unload, 'compression' | 'partitionedBy'> {
  const { place } = tokens
  const properties = tokens.takeEnclosedList(() => parseProperty(tokens))
  const names = properties.map(({ name }) => name)
  if (!names.includes('format')) throw new MalformedQuery(place, 'UNLOAD needs the property format')
  if (new Set(names).size < names.length) throw new MalformedQuery(place, 'UNLOAD takes each property once')
  return {
    // Athena's default; the service always names a codec.
    compression: properties.find((property) => property.name === 'compression')?.value ?? 'GZIP',
    partitionedBy: properties.find((property) => property.name === 'partitioned_by')?.value ?? [],
  }
}

function parseProperty(tokens: TokenReader): Property {
  const { place } = tokens
  const name = tokens.takeName()
  tokens.expect('=')
  if (name === 'partitioned_by') return { name, value: parseArray(tokens) }
  const value = tokens.take('string').toUpperCase()
  if (name === 'format' && value === 'PARQUET') return { name, value }
  const compression = compressions.find((known) => known === value)
  if (name === 'compression' && compression !== undefined) return { name, value: compression }
  throw new MalformedQuery(place, `the service writes no property ${name} = '${value}'`)
}

function parseArray(tokens: TokenReader): readonly string[] {
  tokens.expect('array', '[')
  const names = tokens.takeList(() => tokens.take('string').toLowerCase())
  tokens.expect(']')
  return names
}

function parseSelect(tokens: TokenReader): Select {
  tokens.expect('select')
  const items = tokens.accept('*') ? 'all' : tokens.takeList(() => parseItem(tokens))
  tokens.expect('from')
  const relation = parseRelation(tokens)
  const where = tokens.accept('where') ? parseCondition(tokens) : undefined
  const orderBy = tokens.accept('order') ? parseOrderings(tokens) : []
  const limit = tokens.accept('limit') ? parseInteger(tokens) : undefined
  return { kind: 'select', items, relation, where, orderBy, limit }
}

function parseItem(tokens: TokenReader): SelectItem {
  const expression = parseExpression(tokens)
  return { expression, alias: tokens.accept('as') ? tokens.takeName() : undefined }
}

/** There is only one database, so the qualifier before the relation's name is ignored. */
function parseRelation(tokens: TokenReader): Select['relation'] {
  const at = tokens.place
  const name = tokens.takeName()
  return { name: tokens.accept('.') ? tokens.takeName() : name, at }
}

function parseOrderings(tokens: TokenReader): readonly Ordering[] {
  tokens.expect('by')
  return tokens.takeList(() => {
    const column = { kind: 'column', at: tokens.place, name: tokens.takeName() } as const
    const direction = tokens.accept('desc') ? 'DESC' : 'ASC'
    if (direction === 'ASC') tokens.accept('asc')
    return { column, direction }
  })
}
