import type * as v from 'valibot'

/** The type that a schema describes, read-only at every level. */
export type Body<Schema extends v.GenericSchema> = ReadonlyDeep<v.InferOutput<Schema>>

type ReadonlyDeep<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value
