import { resolve } from 'node:path'
import { type AwsAccount, readCaller } from '../../adapters/caller.ts'
import { createDeployedStacks, type DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { listStackNames } from '../../adapters/cloudformation/cfn-stack-names.ts'
import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { isStageName, StageNotValid } from '../../lib/stage/parse-stage.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { requireAccount } from '../../lib/stage/stage-account.ts'
import { listStages, readStageFile, requireStage, UnknownStage } from '../../lib/stage/stage-files.ts'
import type { OfTables } from '../../schema/tables.ts'
import { quoteWord } from '../command/cli-arguments.ts'
import { bucketOf } from '../command/installation.ts'
import { describeStack, judgeStack } from './stack-states.ts'

/** Reads the name of a deployed stage, whether or not this checkout has its file. */
export function readStageName(text: string): string {
  if (isStageName(text)) return text
  throw new UsageError(`--stage must be the name of a deployed stage: letters, digits and hyphens, not "${text}"`)
}

/** The help of the options that choose a stage to deploy or destroy. */
export const stageOptions = `
  --stage <name>       a stage of stages/ (default dev)
  --stage-file <path>  your own stage file, named after the stage; stages/stage.schema.json describes its fields`

/**
 * Reads the stage to deploy or destroy.
 *
 * @returns the stage, the options that pass it to the CDK's command, and the option that names it to `deploy`
 * @throws UsageError if it does not exist or is not valid
 */
export function chooseStageFile(name: string | undefined, path: string | undefined) {
  if (name !== undefined && path !== undefined) throw new UsageError('give --stage or --stage-file, not both')
  try {
    if (path !== undefined) {
      const option = `--stage-file ${quoteWord(path)}`
      return { stage: readStageFile(path), context: ['-c', `stageFile=${resolve(path)}`], option }
    }
    const stage = requireStage(name ?? 'dev')
    return { stage, context: ['-c', `stage=${stage.name}`], option: `--stage ${stage.name}` }
  } catch (error) {
    if (error instanceof UnknownStage || error instanceof StageNotValid) throw new UsageError(error.message)
    throw error
  }
}

export type Outputs = Readonly<Record<string, string>>

/** The option that names a stage to `deploy`, as far as it can be known from the name. */
export const guessStageOption = (stage: string): string =>
  listStages().includes(stage) ? `--stage ${stage}` : `--stage-file <path of ${stage}.json>`

/** True for the stack that earlier versions made for the warehouse of a stage (docs/adr/0046). */
export const isFormerStack = ({ name }: Pick<DeployedStack, 'name'>): boolean => name.startsWith('Warehouse-')

/**
 * Finds the stacks of a stage: the one that deploys change, and after it that of earlier versions for the warehouse, if
 * it still exists. None if the stage is not deployed.
 */
export async function findStacks(stage: string): Promise<readonly DeployedStack[]> {
  const { find } = createDeployedStacks()
  const stacks = await Promise.all(['SearchService', 'Warehouse'].map((name) => find(`${name}-${stage}`)))
  return stacks.filter((stack) => stack !== undefined)
}

/** Returns the outputs of a stage's stack; undefined if it is not deployed. */
export async function findOutputs(stage: string): Promise<Outputs | undefined> {
  return (await createDeployedStacks().find(`SearchService-${stage}`))?.outputs
}

/**
 * Returns the outputs of a stage's stack.
 *
 * @throws CommandFailed if it is not deployed, or not completely
 */
export async function readOutputs(stage: string): Promise<Outputs> {
  const deployed = await createDeployedStacks().find(`SearchService-${stage}`)
  if (deployed === undefined) throw await describeNotDeployed(stage, guessStageOption(stage))
  if (judgeStack(deployed).isInService) return deployed.outputs
  throw new CommandFailed(
    `the stage ${stage} is not in service: ${describeStack(deployed)}; npm run status -- --stage ${stage} says what to do next`,
  )
}

/**
 * Describes that a stage is not deployed where the settings of the SDK point to, and which stages are, since a wrong
 * name, profile or region are the common reasons. What may not be read is left out.
 *
 * @param option names the stage to `deploy`
 */
async function describeNotDeployed(stage: string, option: string): Promise<CommandFailed> {
  const profile = process.env['AWS_PROFILE']
  const [account, names] = await Promise.all([
    readCaller().catch(() => undefined),
    listStackNames().catch(() => undefined),
  ])
  const where =
    account === undefined
      ? 'in this account and region'
      : `in the account ${account.account}, region ${account.region}${profile ? `, profile ${profile}` : ''}`
  return new CommandFailed(
    `the stage ${stage} is not deployed ${where}${describeOthers(names)}; npm run deploy -- ${option} deploys it`,
  )
}

/** Names the stages whose stacks are deployed; nothing if the names of stacks may not be read. */
function describeOthers(names: readonly string[] | undefined): string {
  if (names === undefined) return ''
  const stages = names.flatMap((name) => /^SearchService-(.+)$/.exec(name)?.[1] ?? []).sort()
  return stages.length === 0 ? ', and no stage is' : `; these stages are: ${stages.join(', ')}`
}

/**
 * Returns an output of a stack that every completely deployed stage has.
 *
 * @throws CommandFailed if the stack was deployed by a version that did not have the output yet
 */
export function requireOutput(outputs: Outputs, name: string): string {
  const value = outputs[name]
  if (value === undefined) throw new CommandFailed(`the stack of the stage has no output ${name}: deploy it again`)
  return value
}

/** The outputs of a stage's stack that name its tables. */
export const tableOutputs: OfTables<string> = {
  Jobs: 'JobsTable',
  Access: 'AccessTable',
  FeeSchedules: 'CatalogueTable',
  Contents: 'ContentsTable',
  Webhooks: 'WebhooksTable',
}

/** Reads the names of a deployed stage's tables, each when it is used: an older stage may lack the newest table. */
export const readTables = (outputs: Outputs): OfTables<string> => ({
  get Jobs() {
    return requireOutput(outputs, tableOutputs.Jobs)
  },
  get Access() {
    return requireOutput(outputs, tableOutputs.Access)
  },
  get FeeSchedules() {
    return requireOutput(outputs, tableOutputs.FeeSchedules)
  },
  get Contents() {
    return requireOutput(outputs, tableOutputs.Contents)
  },
  get Webhooks() {
    return requireOutput(outputs, tableOutputs.Webhooks)
  },
})

/**
 * Fails if Athena has no bucket to write query results to: every search would fail, and only its log would say why.
 *
 * @param location `s3://bucket/prefix/`
 * @throws CommandFailed
 */
export async function requireResultsBucket(location: string): Promise<void> {
  const bucket = bucketOf(location)
  if (await createS3Objects().bucketExists(bucket)) return
  throw new CommandFailed(
    `the bucket ${bucket} for query results (queryResults of the stage's warehouse) does not exist: create it with aws s3 mb s3://${bucket}`,
  )
}

/**
 * Fails with what to type if the CDK has not been prepared in this account and region.
 *
 * @param stack of the CDK's bootstrap
 */
export async function requireBootstrap(stack = 'CDKToolkit'): Promise<void> {
  if ((await createDeployedStacks().find(stack)) !== undefined) return
  throw new CommandFailed('the CDK is not prepared in this account and region: run "npx cdk bootstrap" once')
}

/** Options of the CDK that a command passes on. */
export interface CdkOptions {
  /** Stack of the CDK's bootstrap. @default - that of the CDK */
  readonly toolkit?: string
  /** Options of the synthesis. */
  readonly context: readonly string[]
  /** Options of `cdk deploy`. */
  readonly deploy: readonly string[]
}

/**
 * Reads the options of the CDK that a command passes on.
 *
 * @throws UsageError if the CDK would then use other credentials than the command itself, or deploy something else
 */
export function readCdkOptions(options: readonly string[]): CdkOptions {
  const foreign = options.find((option) => /^--(profile|region)(=|$)/.test(option))
  if (foreign !== undefined)
    throw new UsageError(`${foreign} would reach only the CDK: set AWS_PROFILE and AWS_REGION instead`)
  const other = options.find((option) => /^(-a|-o|--app|--output)(=|$)/.test(option))
  if (other !== undefined) throw new UsageError(`${other} would deploy something else than was compared: leave it out`)
  const [, toolkit] = /(?:^| )--toolkit-stack-name[= ](\S+)/.exec(options.join(' ')) ?? []
  const isOfContext = (option: string, index: number) =>
    /^(-c|--context)/.test(option) || /^(-c|--context)$/.test(options[index - 1] ?? '')
  return {
    ...(toolkit !== undefined && { toolkit }),
    context: options.filter(isOfContext),
    deploy: options.filter((option, index) => !isOfContext(option, index)),
  }
}

/**
 * Finds out where a stage would be deployed or destroyed, and says so.
 *
 * @throws PrintableError if that is not where its file says
 */
export async function announceAccount(action: string, stage: Stage): Promise<AwsAccount> {
  const account = await readCaller()
  requireAccount(stage, account)
  process.stderr.write(
    `${action} the stage ${stage.name} in the account ${account.account}, region ${account.region}\n`,
  )
  return account
}

/**
 * Fails if the CDK would ask for approval and nobody can answer: it would print its questions and fail later.
 *
 * @throws UsageError
 */
export function requireConsent(action: 'deploy' | 'destroy', isGiven: boolean): void {
  if (isGiven || (process.stdin.isTTY && process.stderr.isTTY)) return
  throw new UsageError(`without a terminal, ${action} cannot ask for approval: use --yes to give it`)
}
