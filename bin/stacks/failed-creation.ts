import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges, type StackEvent } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { createLeftoverTables, type LeftoverTable } from '../../adapters/dynamodb/leftover-tables.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { judgeStack } from './stack-states.ts'

/** The help of the option that removes what a failed creation has left. */
export const failedCreationOption = `
  --after-failed-creation
                       first remove what a first deploy that failed has left: its stack, and the empty tables that
                       this stack created. No other table is touched`

/**
 * Removes the stacks of a stage whose creation has failed, with the tables that a rollback leaves because they have
 * deletion protection. It can be repeated after an interruption, since each stack is deleted last.
 *
 * @param say gets a line for each thing that is removed or kept
 * @throws CommandFailed if a stack was created completely once, or CloudFormation cannot delete it
 */
export async function removeFailedCreations(
  stacks: readonly DeployedStack[],
  say: (line: string) => void,
): Promise<void> {
  const failed = stacks.filter((stack) => judgeStack(stack).condition === 'never created')
  if (failed.length === 0) say('No creation of this stage has failed: there is nothing to remove first')
  for (const stack of failed) await removeFailedCreation(stack, say)
}

async function removeFailedCreation(stack: DeployedStack, say: (line: string) => void): Promise<void> {
  const changes = createStackChanges()
  const events = await changes.listEvents(stack.id)
  requireNeverCompleted(stack, events)
  const tables = createLeftoverTables()
  for (const name of listCreatedTables(events)) {
    const table = await tables.find(name)
    if (table === undefined) continue
    const doubt = doubtLeftover(table, stack)
    if (doubt === undefined) {
      await tables.remove(table)
      say(`Deleted the table ${name}, which the failed creation of ${stack.name} left`)
    } else say(`Kept the table ${name}: ${doubt}`)
  }
  if (stack.isProtected) await changes.unprotect(stack.id)
  const isGone = await changes.deleteStack(stack.id)
  if (!isGone) {
    const stage = stack.name.slice(stack.name.indexOf('-') + 1)
    throw new CommandFailed(
      `CloudFormation has not deleted the stack ${stack.name}: npm run status -- --stage ${stage} says what to do next`,
    )
  }
  say(`Deleted the stack ${stack.name}, whose creation had failed`)
}

/** A stack that was complete once may hold data, whatever its state is now. */
function requireNeverCompleted({ name, id }: DeployedStack, events: readonly StackEvent[]): void {
  const completed = events.find(
    ({ physicalId, status }) => physicalId === id && /^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status),
  )
  if (completed !== undefined)
    throw new CommandFailed(`the stack ${name} was deployed before (${completed.status}): nothing was removed`)
}

/** @returns the names of the tables that a stack created itself, and did not delete, by its events */
function listCreatedTables(events: readonly StackEvent[]): readonly string[] {
  const tables = events.filter(
    ({ type, physicalId }) => /^AWS::DynamoDB::(Global)?Table$/.test(type) && physicalId !== '',
  )
  const reached = Map.groupBy(tables, ({ physicalId }) => physicalId)
  return [...reached].flatMap(([name, history]) => {
    const has = (pattern: RegExp) => history.some(({ status }) => pattern.test(status))
    return has(/^CREATE_/) && !has(/^IMPORT_|^DELETE_COMPLETE$/) ? [name] : []
  })
}

/** Returns the reason not to delete a table, if there is one. */
function doubtLeftover({ createdAt, isEmpty }: LeftoverTable, stack: DeployedStack): string | undefined {
  if (!isEmpty) return 'it has items. Delete it yourself if nobody needs them'
  if (createdAt < stack.createdAt) return 'it is older than the stack. Delete it yourself if nobody needs it'
  return undefined
}
