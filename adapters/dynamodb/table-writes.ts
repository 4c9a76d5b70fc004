import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { workAtOnce } from '../../core/work-at-once.ts'
import type { WriteOutcome } from '../../core/write-outcome.ts'
import { queryBelow } from './dynamo-client.ts'
import { attributeOf, express, type Item, writeFields } from './stored-fields.ts'

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

/** A conditional update by an expression. */
export interface Update {
  /** The update expression. */
  readonly change: string
  /** Condition on the stored item. */
  readonly condition: string
  /** Values of the placeholders in both. @default - none */
  readonly values?: object
}

/** A conditional change of an item's fields. */
export interface FieldChange {
  /** Fields to set; an undefined one is removed. */
  readonly fields: object
  /** Condition on the stored item. It may use the values of `fields` and `absent` as placeholders. */
  readonly condition: string
  /** Values of further placeholders in the condition. @default - none */
  readonly values?: object
  /** Fields that are only set if the item lacks them. @default - none */
  readonly absent?: object
}

/**
 * Returns the writes to a table; writes with `If` happen only if the stored item meets a condition.
 * Expressions name attributes and values as `express` does.
 */
export function tableWrites(client: DynamoDBDocumentClient, TableName: string) {
  const inputIf = (condition: string, values: object, change = '') => ({
    TableName,
    ConditionExpression: condition,
    ...(change !== '' && { UpdateExpression: change }),
    ...express([condition, change], values),
  })
  const updateIf = (Key: Item, { change, condition, values = {} }: Update): Promise<WriteOutcome> =>
    writeConditionally(() => client.send(new UpdateCommand({ Key, ...inputIf(condition, values, change) })))
  const put = (Item: Item) => client.send(new PutCommand({ TableName, Item }))
  const remove = (Key: Item) => client.send(new DeleteCommand({ TableName, Key }))
  const removeAll = (keys: readonly Item[]) => workAtOnce(keys, writesAtOnce, remove)
  return {
    put,

    putAll: (items: Iterable<Item>) => workAtOnce(items, writesAtOnce, put),

    remove,

    removeAll,

    /** Removes all items that `queryBelow` finds. */
    removeBelow: async (key: Readonly<Record<string, string>>) => {
      const names = Object.keys(key)
      await removeAll(
        await Array.fromAsync(queryBelow(client, TableName, key), (item) =>
          Object.fromEntries(names.map((name) => [name, item[name]])),
        ),
      )
    },

    putIf: (Item: Item, condition: string, values: object = {}): Promise<WriteOutcome> =>
      writeConditionally(() => client.send(new PutCommand({ Item, ...inputIf(condition, values) }))),

    /** Sets fields, and removes the undefined ones. */
    setIf: (Key: Item, { fields, condition, values = {}, absent = {} }: FieldChange) => {
      const set = Object.keys(writeFields(fields))
      const added = Object.keys(writeFields(absent))
      const removed = Object.keys(fields).filter((name) => !set.includes(attributeOf(name)))
      const changes = [
        ...set.map((name) => `#${name} = :${name}`),
        ...added.map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
      ]
      const change = [
        ...(changes.length > 0 ? [`SET ${changes.join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${attributeOf(name)}`).join(', ')}`] : []),
      ]
      return updateIf(Key, { change: change.join(' '), condition, values: { ...values, ...fields, ...absent } })
    },

    updateIf,

    /** Returns the item after the update; undefined if it did not meet the condition. */
    updateAndReadIf: async (Key: Item, { change, condition, values = {} }: Update): Promise<Item | undefined> => {
      const command = new UpdateCommand({ Key, ReturnValues: 'ALL_NEW', ...inputIf(condition, values, change) })
      let item: Item | undefined
      await writeConditionally(async () => {
        item = (await client.send(command)).Attributes
      })
      return item
    },

    deleteIf: (Key: Item, condition: string, values: object = {}): Promise<WriteOutcome> =>
      writeConditionally(() => client.send(new DeleteCommand({ Key, ...inputIf(condition, values) }))),
  }
}

/** Runs a conditional write. A failed condition is an outcome, not an error. */
export async function writeConditionally(write: () => Promise<unknown>): Promise<WriteOutcome> {
  try {
    await write()
    return 'written'
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'superseded'
    throw error
  }
}
