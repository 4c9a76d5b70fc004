import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { quoteWord } from '../command/cli-arguments.ts'

/**
 * Condition of a stack: `complete` can be deployed; `at work` is being changed by CloudFormation; `prepared` has no
 * resources yet; `never created` is left from a creation that failed; `stuck` needs an operator.
 */
export type Condition = 'complete' | 'at work' | 'prepared' | 'never created' | 'stuck'

interface State {
  readonly condition: Condition
  readonly meaning: string
  /** Its resources are those of a completed deploy, so that commands can use them. */
  readonly isInService: boolean
}

const inService = (condition: Condition, meaning: string): State => ({ condition, meaning, isInService: true })
const outOfService = (condition: Condition, meaning: string): State => ({ condition, meaning, isInService: false })

/** Source: CloudFormation user guide, "Stack status codes". */
const states: Readonly<Record<string, State>> = {
  CREATE_COMPLETE: inService('complete', 'deployed'),
  UPDATE_COMPLETE: inService('complete', 'deployed'),
  IMPORT_COMPLETE: inService('complete', 'deployed'),
  UPDATE_ROLLBACK_COMPLETE: inService('complete', 'the last deploy failed, and what was deployed before it is back'),
  IMPORT_ROLLBACK_COMPLETE: inService('complete', 'the last import failed, and what was deployed before it is back'),
  REVIEW_IN_PROGRESS: outOfService('prepared', 'a first deploy was prepared, and has created nothing'),
  CREATE_IN_PROGRESS: outOfService('at work', 'CloudFormation is creating it'),
  UPDATE_IN_PROGRESS: inService('at work', 'CloudFormation is updating it'),
  UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: inService('at work', 'updated; CloudFormation is removing what was replaced'),
  UPDATE_ROLLBACK_IN_PROGRESS: inService('at work', 'the deploy failed, and CloudFormation is rolling it back'),
  UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS: inService(
    'at work',
    'the deploy was rolled back; CloudFormation is removing what it had created',
  ),
  ROLLBACK_IN_PROGRESS: outOfService('at work', 'the first deploy failed, and CloudFormation is rolling it back'),
  DELETE_IN_PROGRESS: outOfService('at work', 'CloudFormation is deleting it'),
  IMPORT_IN_PROGRESS: inService('at work', 'CloudFormation is importing resources'),
  IMPORT_ROLLBACK_IN_PROGRESS: inService('at work', 'the import failed, and CloudFormation is rolling it back'),
  ROLLBACK_COMPLETE: outOfService(
    'never created',
    'the first deploy failed and was rolled back: nothing is in service',
  ),
  ROLLBACK_FAILED: outOfService(
    'never created',
    'the first deploy failed, and some of its resources could not be deleted: nothing is in service',
  ),
  CREATE_FAILED: outOfService(
    'never created',
    'the first deploy failed and was not rolled back: nothing is in service',
  ),
  UPDATE_FAILED: inService('stuck', 'a deploy without rollback failed: part of it is the new version'),
  UPDATE_ROLLBACK_FAILED: inService('stuck', 'a deploy failed, and so did its rollback: part of it is the new version'),
  IMPORT_ROLLBACK_FAILED: inService('stuck', 'an import failed, and so did its rollback'),
  DELETE_FAILED: outOfService('stuck', 'it was being destroyed, and some of its resources could not be deleted'),
}

/** Judges the state of a stack. One that this version does not know needs an operator. */
export const judgeStack = ({ status }: Pick<DeployedStack, 'status'>): State =>
  states[status] ?? inService('stuck', 'a state that this version does not know')

/** False for a stack that has never been in service, so that there is nothing to compare with. */
export const hasTemplate = (stack: Pick<DeployedStack, 'status'>): boolean =>
  !/^(prepared|never created)$/.test(judgeStack(stack).condition)

/** A command that is safe to run on a stack in its state, and the reason to run it. */
export interface NextCommand {
  readonly purpose: string
  readonly command: string
}

const listEvents = (stack: string, query: string) =>
  `aws cloudformation describe-stack-events --stack-name ${stack} --output text --query ${quoteWord(query)}`

const watch = ({ name }: DeployedStack): NextCommand => ({
  purpose: 'watch it',
  command: listEvents(name, 'StackEvents[:10].[Timestamp, LogicalResourceId, ResourceStatus, ResourceStatusReason]'),
})

const findCause = ({ name }: DeployedStack): NextCommand => ({
  purpose: 'find the cause',
  command: listEvents(
    name,
    'StackEvents[?contains(ResourceStatus, `FAILED`)].[Timestamp, LogicalResourceId, ResourceStatusReason]',
  ),
})

/**
 * Lists the commands that are safe to run next on a stack that is not complete; none if it is.
 *
 * @param stageOption the option that names the stage to `deploy` and `destroy`, such as `--stage prod`
 */
export function listNextCommands(stack: DeployedStack, stageOption: string): readonly NextCommand[] {
  const { name, status } = stack
  const aws = (verb: string) => `aws cloudformation ${verb} --stack-name ${name}`
  switch (judgeStack(stack).condition) {
    case 'complete':
      return []
    case 'prepared':
      return [{ purpose: 'deploy it', command: `npm run deploy -- ${stageOption}` }]
    case 'at work':
      return [
        watch(stack),
        ...(status === 'UPDATE_IN_PROGRESS' ? [{ purpose: 'cancel it', command: aws('cancel-update-stack') }] : []),
      ]
    case 'never created':
      return [
        findCause(stack),
        { purpose: 'then deploy again', command: `npm run deploy -- ${stageOption} --after-failed-creation` },
      ]
    case 'stuck':
      return [findCause(stack), ...recover()]
  }

  function recover(): readonly NextCommand[] {
    if (status === 'UPDATE_ROLLBACK_FAILED')
      return [{ purpose: 'then finish the rollback', command: aws('continue-update-rollback') }]
    if (status === 'UPDATE_FAILED') return [{ purpose: 'then roll it back', command: aws('rollback-stack') }]
    if (status === 'DELETE_FAILED')
      return [{ purpose: 'then destroy it again', command: `npm run destroy -- ${stageOption}` }]
    return []
  }
}

/** Describes a stack: `SearchService-prod UPDATE_IN_PROGRESS: CloudFormation is updating it`. */
export const describeStack = (stack: DeployedStack): string =>
  `${stack.name} ${stack.status}: ${judgeStack(stack).meaning}`

/**
 * Describes stacks that are not complete, each with its reason and the commands that are safe to run next, in lines.
 */
export function describeNext(stacks: readonly DeployedStack[], stageOption: string): readonly string[] {
  return stacks.flatMap((stack) => [
    describeStack(stack),
    ...(stack.reason === undefined ? [] : [`  reason: ${stack.reason}`]),
    ...listNextCommands(stack, stageOption).map(({ purpose, command }) => `  ${purpose}: ${command}`),
  ])
}
