import { QueryFault } from './faults.ts'
import type { ColumnReference, Condition, Expression, Literal, Select, TypeName, Unload } from './syntax.ts'

/** Column types of a relation, by lower-case name. */
export type RelationColumns = ReadonlyMap<string, TypeName>

/** A column of a statement's result. */
export interface OutputColumn {
  readonly name: string
  readonly type: TypeName
  readonly expression: Expression
}

/** The type of a bare NULL: comparable with every type, but it cannot be stored. */
const unknownType = 'unknown'

/**
 * Resolves and checks a SELECT as Trino does. DuckDB would coerce types; here `npi = '1'` is an error.
 *
 * @returns the result's columns, with `*` expanded
 * @throws QueryFault COLUMN_NOT_FOUND, TYPE_MISMATCH or INVALID_LITERAL
 */
export function checkSelect(select: Select, columns: RelationColumns): readonly OutputColumn[] {
  const outputs = select.items === 'all' ? allColumns(select, columns) : namedItems(select.items, columns)
  if (select.where !== undefined) checkCondition(select.where, columns)
  const sortable = new Map([...columns, ...outputs.map(({ name, type }) => [name, type] as const)])
  for (const { column } of select.orderBy) typeOf(column, sortable)
  return outputs
}

/**
 * Checks what an UNLOAD requires of its columns beyond a SELECT. Source: Athena User Guide, "UNLOAD".
 *
 * @throws QueryFault
 */
export function checkUnload({ select, partitionedBy }: Unload, outputs: readonly OutputColumn[]): void {
  const names = outputs.map(({ name }) => name)
  for (const [index, { name, type }] of outputs.entries()) {
    if (name === '') throw new QueryFault('MISSING_COLUMN_NAME', `Column name not specified at position ${index + 1}`)
    if (names.indexOf(name) < index)
      throw new QueryFault('DUPLICATE_COLUMN_NAME', `Column name '${name}' specified more than once`)
    if (type === unknownType)
      throw new QueryFault('COLUMN_TYPE_UNKNOWN', `${select.relation.at}: Column type is unknown: ${name}`)
  }
  const last = names.slice(names.length - partitionedBy.length)
  if (partitionedBy.length > 0 && (last.join() !== partitionedBy.join() || partitionedBy.length >= names.length))
    throw new QueryFault(
      'INVALID_TABLE_PROPERTY',
      `partition keys must be the last columns: ${partitionedBy.join(', ')}`,
    )
}

function allColumns({ relation }: Select, columns: RelationColumns): readonly OutputColumn[] {
  return [...columns].map(([name, type]) => ({ name, type, expression: { kind: 'column', name, at: relation.at } }))
}

function namedItems(items: Exclude<Select['items'], 'all'>, columns: RelationColumns): readonly OutputColumn[] {
  return items.map(({ expression, alias }) => ({
    name: alias ?? (expression.kind === 'column' ? expression.name : ''),
    type: typeOf(expression, columns),
    expression,
  }))
}

function typeOf(expression: Expression, columns: RelationColumns): TypeName {
  switch (expression.kind) {
    case 'column':
      return typeOfColumn(expression, columns)
    case 'cast':
      return typeOfCast(expression, columns)
    case 'floor-random':
      return 'double'
    default:
      return typeOfLiteral(expression)
  }
}

function typeOfColumn({ name, at }: ColumnReference, columns: RelationColumns): TypeName {
  const type = columns.get(name)
  if (type === undefined) throw new QueryFault('COLUMN_NOT_FOUND', `${at}: Column '${name}' cannot be resolved`)
  return type
}

function typeOfCast(cast: Extract<Expression, { kind: 'cast' }>, columns: RelationColumns): TypeName {
  const from = typeOf(cast.operand, columns)
  if (!isCastable(from, cast.type))
    throw new QueryFault('TYPE_MISMATCH', `${cast.at}: Cannot cast ${from} to ${cast.type}`)
  return cast.type
}

function typeOfLiteral(literal: Literal): TypeName {
  switch (literal.kind) {
    case 'string':
      return `varchar(${[...literal.value].length})`
    case 'integer':
      return literal.value < 2n ** 31n ? 'integer' : 'bigint'
    case 'date':
      if (!isDate(literal.value))
        throw new QueryFault('INVALID_LITERAL', `${literal.at}: '${literal.value}' is not a valid DATE literal`)
      return 'date'
    case 'null':
      return unknownType
  }
}

function checkCondition(condition: Condition, columns: RelationColumns): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const term of condition.terms) checkCondition(term, columns)
      return
    case 'equals':
      checkEquals(condition, columns)
      return
    case 'in':
      checkIn(condition, columns)
  }
}

function checkEquals({ column, literal, at }: Extract<Condition, { kind: 'equals' }>, columns: RelationColumns): void {
  const [left, right] = [typeOf(column, columns), typeOf(literal, columns)]
  if (!isComparable(left, right))
    throw new QueryFault('TYPE_MISMATCH', `${at}: Cannot apply operator: ${left} = ${right}`)
}

function checkIn({ column, literals }: Extract<Condition, { kind: 'in' }>, columns: RelationColumns): void {
  const left = typeOf(column, columns)
  for (const literal of literals) {
    const right = typeOf(literal, columns)
    if (!isComparable(left, right))
      throw new QueryFault(
        'TYPE_MISMATCH',
        `${literal.at}: IN value and list items must be of one type or coercible to a common one: ${left}, ${right}`,
      )
  }
}

const isComparable = (left: TypeName, right: TypeName) =>
  left === unknownType || right === unknownType || familyOf(left) === familyOf(right)

/** Types convert implicitly within a family. Between families only text converts, and only by CAST. */
function isCastable(from: TypeName, to: TypeName): boolean {
  const [fromElement, toElement] = [elementOf(from), elementOf(to)]
  if (fromElement !== undefined && toElement !== undefined) return isCastable(fromElement, toElement)
  if (fromElement !== undefined || toElement !== undefined) return from === unknownType
  return isComparable(from, to) || familyOf(from) === 'text' || familyOf(to) === 'text'
}

function familyOf(type: TypeName): string {
  if (/^(var)?char\b/.test(type)) return 'text'
  return /^(tinyint|smallint|integer|bigint|decimal|real|double)\b/.test(type) ? 'number' : type
}

const elementOf = (type: TypeName) => /^array\((.*)\)$/.exec(type)?.[1]

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return time !== undefined && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
