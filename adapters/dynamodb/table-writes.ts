import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { WriteOutcome } from '../../core/write-outcome.ts'
import type { Item } from './dynamo-client.ts'
import { attributeOf, writeFields } from './stored-fields.ts'

/** What a write requires of the stored item, with the names and values of all its expressions. */
export interface Conditional {
  readonly condition: string
  readonly names?: Readonly<Record<string, string>>
  readonly values?: Item
}

/** Writes to a table; those with `If` happen only if the stored item meets a condition. */
export function tableWrites(client: DynamoDBDocumentClient, TableName: string) {
  const input = ({ condition, names = {}, values = {} }: Conditional) => ({
    TableName,
    ConditionExpression: condition,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  })
  const updateIf = (Key: Item, change: string, conditional: Conditional): Promise<WriteOutcome> =>
    writeConditionally(() => client.send(new UpdateCommand({ Key, UpdateExpression: change, ...input(conditional) })))
  return {
    put: (Item: Item) => client.send(new PutCommand({ TableName, Item })),
    remove: (Key: Item) => client.send(new DeleteCommand({ TableName, Key })),
    putIf: (Item: Item, conditional: Conditional): Promise<WriteOutcome> =>
      writeConditionally(() => client.send(new PutCommand({ Item, ...input(conditional) }))),
    /** Sets fields, each of which the condition can name by its attribute, and removes those that are undefined. */
    setIf: (Key: Item, fields: object, { values, ...conditional }: Conditional): Promise<WriteOutcome> => {
      const set = writeFields(fields)
      const removed = Object.keys(fields)
        .map(attributeOf)
        .filter((name) => !(name in set))
      const changes = [
        { word: 'SET', each: Object.keys(set).map((name) => `${name} = :${name}`) },
        { word: 'REMOVE', each: removed },
      ].flatMap(({ word, each }) => (each.length > 0 ? `${word} ${each.join(', ')}` : []))
      const own = Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value]))
      return updateIf(Key, changes.join(' '), { ...conditional, values: { ...values, ...own } })
    },
    updateIf,
    /** Returns the item as it then is; undefined if it did not meet the condition. */
    updateAndReadIf: async (Key: Item, change: string, conditional: Conditional): Promise<Item | undefined> => {
      const command = new UpdateCommand({
        Key,
        UpdateExpression: change,
        ReturnValues: 'ALL_NEW',
        ...input(conditional),
      })
      let item: Item | undefined
      await writeConditionally(async () => {
        item = (await client.send(command)).Attributes
      })
      return item
    },
    deleteIf: (Key: Item, conditional: Conditional): Promise<WriteOutcome> =>
      writeConditionally(() => client.send(new DeleteCommand({ Key, ...input(conditional) }))),
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
