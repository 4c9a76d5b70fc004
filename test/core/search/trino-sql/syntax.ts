import type { S3Address } from '../../../../local/athena/s3-address.ts'

/**
 * The statements that the service writes, and no others. The grammar, in short:
 *
 *     statement  = select | UNLOAD ( select ) TO 's3://…/' WITH ( property = value, … )
 *     select     = SELECT items FROM relation [WHERE condition] [ORDER BY column [ASC|DESC], …] [LIMIT n]
 *     items      = * | expression [AS name], …
 *     expression = column | literal | CAST(expression AS type) | floor(random() * n)
 *     condition  = AND, OR and parentheses over: column = literal, column IN (literal, …)
 *     literal    = 'text' | digits | DATE 'yyyy-mm-dd' | NULL
 */

/** Where a part of the statement begins, in the format of Trino's messages: `line 1:8`. */
export type Place = string

/** A Trino type name (`varchar`, `decimal(18,4)`, `array(varchar)`). */
export type TypeName = string

export type Literal =
  | { readonly kind: 'string'; readonly value: string; readonly at: Place }
  | { readonly kind: 'integer'; readonly value: bigint; readonly at: Place }
  | { readonly kind: 'date'; readonly value: string; readonly at: Place }
  | { readonly kind: 'null'; readonly at: Place }

export interface ColumnReference {
  readonly kind: 'column'
  /** Lower case, because names are case-insensitive. */
  readonly name: string
  readonly at: Place
}

export type Expression =
  | ColumnReference
  | Literal
  | { readonly kind: 'cast'; readonly operand: Expression; readonly type: TypeName; readonly at: Place }
  /** `floor(random() * factor)`: assigns rows to the integers from 0 to factor - 1. */
  | { readonly kind: 'floor-random'; readonly factor: bigint; readonly at: Place }

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'equals'; readonly column: ColumnReference; readonly literal: Literal; readonly at: Place }
  | { readonly kind: 'in'; readonly column: ColumnReference; readonly literals: readonly Literal[]; readonly at: Place }

export interface SelectItem {
  readonly expression: Expression
  readonly alias: string | undefined
}

export interface Ordering {
  readonly column: ColumnReference
  readonly direction: 'ASC' | 'DESC'
}

export interface Select {
  readonly kind: 'select'
  readonly items: readonly SelectItem[] | 'all'
  readonly relation: { readonly name: string; readonly at: Place }
  readonly where: Condition | undefined
  readonly orderBy: readonly Ordering[]
  readonly limit: bigint | undefined
}

export type Compression = 'SNAPPY' | 'ZSTD' | 'GZIP' | 'NONE'

export interface Unload {
  readonly kind: 'unload'
  readonly select: Select
  /** Where the files go: a bucket and a prefix ending in `/`. */
  readonly destination: S3Address
  readonly compression: Compression
  readonly partitionedBy: readonly string[]
}

export type Statement = Select | Unload
