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
    /**
     * Sets fields, whose values the condition can use by their attributes, and removes those that are undefined.
     *
     * @param absent further fields, which are only set if the item lacks them
     */
    setIf: (Key: Item, fields: object, conditional: Conditional, absent: object = {}): Promise<WriteOutcome> => {
      const [set, added] = [writeFields(fields), writeFields(absent)]
      const removed = Object.keys(fields)
        .map(attributeOf)
        .filter((name) => !(name in set))
      const changes = [
        ...Object.keys(set).map((name) => `#${name} = :${name}`),
        ...Object.keys(added).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
      ]
      const change = [
        ...(changes.length > 0 ? [`SET ${changes.join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
      ]
      const written = { ...set, ...added }
      const names = [...Object.keys(written), ...removed].map((name) => [`#${name}`, name])
      const values = Object.entries(written).map(([name, value]) => [`:${name}`, value])
      return updateIf(Key, change.join(' '), {
        condition: conditional.condition,
        names: { ...conditional.names, ...Object.fromEntries(names) },
        values: { ...conditional.values, ...Object.fromEntries(values) },
      })
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
