import { Aspects, CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct, IConstruct } from 'constructs'
import { Api } from './api/api.ts'
import { addCalls } from './calls/calls.ts'
import { addLoadAnnouncer } from './events/load-announcer.ts'
import { sendEvents } from './events/send-events.ts'
import { addWebhooks } from './events/webhooks.ts'
import { traceFunctions } from './functions/trace-functions.ts'
import { Loads } from './loads/loads.ts'
import { addBudget } from './operations/budget.ts'
import { LogQueries } from './operations/log-queries.ts'
import { Operations } from './operations/operations.ts'
import { measureTableThrottles } from './operations/table-throttles.ts'
import type { ServiceParts } from './service-parts.ts'
import type { Release } from './stage/release.ts'
import type { Stage } from './stage/stage.ts'
import { ResultsBucket } from './storage/results-bucket.ts'
import { Tables } from './storage/tables.ts'
import { addFeeScheduleRefresh } from './timers/fee-schedule-refresh.ts'
import { addSweeper } from './timers/sweeper.ts'
import { describeQueryUses } from './warehouse/query-uses.ts'
import { addWarehouse, type StackOutputs } from './warehouse/warehouse.ts'
import { addWarehouseReader } from './warehouse/warehouse-reader.ts'
import { addDeadLetters, handleBrokenExecutions } from './workflow/broken-executions.ts'
import { addSteps } from './workflow/steps.ts'
import { Workflow } from './workflow/workflow.ts'

/** The parts of the stack that outputs are made from. */
interface StackParts {
  readonly parts: ServiceParts
  readonly operations: Operations | false
  readonly workflow: Workflow
  readonly loads: Loads | undefined
  readonly warehouseOutputs: StackOutputs
  readonly release: Release | undefined
}

/**
 * A stage: storage, API, workflow, timers and alarms, and a warehouse unless the operator has one. It is the only
 * stack, so that `cdk deploy` needs no choice (docs/adr/0046).
 */
export class SearchService extends Stack {
  /** @param release noted in the outputs */
  constructor(scope: Construct, id: string, stage: Stage, release?: Release) {
    super(scope, id, {
      stackName: `${id}-${stage.name}`,
      terminationProtection: !stage.disposable,
      // CloudFormation passes tags of the stack on to resources that it tags itself.
      ...(stage.tags !== undefined && { tags: stage.tags }),
    })
    const { description: warehouse, outputs: warehouseOutputs } = addWarehouse(this, stage)
    // The deployed stage remembers its settings: the next deploy shows the ones that it changes.
    this.templateOptions.metadata = { Stage: stage }
    const api = new Api(this, 'Api', stage)
    const parts: ServiceParts = {
      stage,
      warehouse,
      tables: new Tables(this, 'Tables', stage),
      results: new ResultsBucket(this, 'Results', stage, api.origin),
      api,
      queries: describeQueryUses(warehouse, stage.athenaEndpoint),
      reportEnds: sendEvents(stage.name, 'search.ended'),
    }
    const deadLetters = addDeadLetters(this)
    const steps = addSteps(this, parts, deadLetters)
    const refreshes = warehouse.feeSchedules === 'relation' ? [addFeeScheduleRefresh(this, parts)] : []
    const workflow = new Workflow(this, 'Workflow', {
      stageName: stage.name,
      steps,
      refreshFeeSchedules: refreshes[0],
      fewFunctions: stage.fewFunctions,
      tracing: stage.tracing,
      maxDuration: Duration.hours(stage.waitingHours + stage.runningHours),
    })
    const { stateMachine } = workflow
    const calls = addCalls(this, parts, workflow.startSearches)
    const sweepSearches = addSweeper(this, parts, workflow.restartSearches)
    const announceLoads = addLoadAnnouncer(this, parts)
    const webhooks = addWebhooks(this, parts, deadLetters)
    const loads =
      stage.loads &&
      new Loads(this, 'Loads', { stageName: stage.name, tables: parts.tables, warehouse, settings: stage.loads })
    handleBrokenExecutions(this, stateMachine, steps.recordFailure, deadLetters)
    const operations =
      stage.alarms &&
      new Operations(this, 'Operations', {
        stage,
        restApi: parts.api.restApi,
        stateMachine,
        calls,
        functions: [...Object.values(steps), sweepSearches, announceLoads, ...Object.values(webhooks), ...refreshes],
        timers: [sweepSearches, announceLoads, webhooks.retryWebhooks],
        refreshes,
        deadLetters,
        tableThrottles: measureTableThrottles(parts.tables),
        loadFailures: loads?.failures ?? [],
        loads: loads?.outcomes ?? [],
        blockedLoads: loads?.blocked,
      })
    if (stage.tracing) traceFunctions(this)
    addBudget(this, stage)
    new LogQueries(this, 'LogQueries', stage.name)
    this.addOutputs({ parts, operations, workflow, loads, warehouseOutputs, release })
    this.encryptLogs(stage)
  }

  /** Encrypts all log groups with the stage's key, including those of the CDK's own functions. */
  private encryptLogs({ encryptionKeyArn }: Stage): void {
    if (encryptionKeyArn === undefined) return
    const visit = (node: IConstruct) => {
      if (node instanceof CfnLogGroup) node.kmsKeyId = encryptionKeyArn
    }
    Aspects.of(this).add({ visit })
  }

  /** Adds the outputs that commands and operators look up. */
  private addOutputs({ parts, operations, workflow, loads, warehouseOutputs, release }: StackParts): void {
    const { stage, warehouse, api, tables, results } = parts
    const reader = stage.warehouse && addWarehouseReader(this, warehouse)
    const outputs = {
      PublicBaseUrl: [api.publicBaseUrl, 'Base URL of /v1'],
      ApiId: [api.restApi.restApiId, 'Id of the REST API'],
      AccessTable: [tables.access.tableName, 'Organizations and keys: npm run keys -- … --table <this>'],
      CatalogueTable: [tables.catalogue.tableName, 'Fee schedules that can be searched'],
      ContentsTable: [tables.contents.tableName, 'Contents of fee schedules'],
      JobsTable: [tables.jobs.tableName, 'Jobs, their shards and requests'],
      WebhooksTable: [tables.webhooks.tableName, 'Webhooks and the events that they have yet to receive'],
      ResultsBucket: [results.bucketName, 'Results, below results/'],
      SearchesStateMachine: [
        workflow.stateMachine.stateMachineArn,
        'Runs a search: an execution is named <job id>-<run>',
      ],
      ...(operations !== false && {
        DashboardName: [operations.dashboardName, 'Dashboard of CloudWatch with all alarms'] as const,
        SearchesFailAlarm: [operations.firstAlarm, 'Set this alarm off by hand to see whether alarms arrive'] as const,
      }),
      ...(reader !== undefined && {
        WarehouseReaderRole: [
          reader.roleArn,
          'Role with the read permissions of searches: npm run check-warehouse',
        ] as const,
      }),
      ...(loads !== undefined && {
        LoadsStateMachine: [loads.stateMachine.stateMachineArn, 'Runs npm run load -- --on aws'] as const,
        LoadsQueue: [loads.queueArns, 'Queues of AWS Batch with the jobs of loads'] as const,
        LoadsWorker: [loads.workerSize, 'Size and number of workers, from which costs are calculated'] as const,
      }),
      ...warehouseOutputs,
      ...describeRelease(release),
    } as const
    for (const [name, [value, description]] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description })
  }
}

/** Returns the outputs that say from which version a stage was deployed. */
function describeRelease(release: Release | undefined): StackOutputs {
  if (release === undefined) return {}
  const { version, commit, stageFile } = release
  return {
    Version: [version, 'Version from which the stage was deployed'],
    ...(commit !== undefined && { Commit: [commit, 'Commit from which the stage was deployed'] as const }),
    StageFile: [stageFile, 'Name of the stage file with which it was deployed'],
  }
}
