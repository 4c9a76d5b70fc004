import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { EarlyEnd, InvocationResult } from '../peers.ts'
import { type ExecutionEnvironment, startExecutionEnvironment } from './execution-environment.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { openLogFile } from './log-file.ts'

export type Functions = ReturnType<typeof startFunctions>

/** An invocation of a function, by any caller. */
export interface Invocation {
  /** The function's construct name, such as `StartQuery`. */
  readonly functionName: string
  /** Traces the SDK calls of this invocation, see trace.ts. */
  readonly requestId: string
  readonly event: unknown
}

/** Maximum number of environments per function; further invocations wait for one. */
const maxEnvironments = 8

/** The environments of a function, each lent to one invocation at a time. */
interface Pool {
  readonly definition: FunctionDefinition
  readonly log: Writable
  readonly idle: ExecutionEnvironment[]
  readonly waiting: (() => void)[]
  readonly all: Set<ExecutionEnvironment>
  busy: number
}

/**
 * Runs functions as Lambda does: an environment serves one invocation at a time and is reused for the next.
 *
 * @param logFolder receives each function's standard output, one file per function
 * @param onInvocation called before every invocation
 */
export function startFunctions(
  definitions: readonly FunctionDefinition[],
  logFolder: string,
  onInvocation: (invocation: Invocation) => void = () => {},
) {
  mkdirSync(logFolder, { recursive: true })
  const pools = new Map(definitions.map((definition) => [definition.arn, createPool(definition, logFolder)]))

  const running = new Map<string, ExecutionEnvironment>()
  let isClosed = false

  return {
    /** @throws TypeError if no function has this ARN */
    invoke: async (arn: string, event: unknown, requestId: string): Promise<InvocationResult> => {
      const pool = pools.get(arn)
      if (pool === undefined) throw new TypeError(`there is no function ${arn}`)
      // An environment started after the others were ended would keep the process alive.
      if (isClosed) throw new TypeError('the service is stopping')
      const environment = await borrow(pool)
      running.set(requestId, environment)
      onInvocation({ functionName: pool.definition.name, requestId, event })
      try {
        return await environment.invoke(event, requestId)
      } finally {
        running.delete(requestId)
        giveBack(pool, environment)
      }
    },
    /** Ends the environment that runs this invocation; a no-op if there is none. */
    end: (requestId: string, how: EarlyEnd): void => running.get(requestId)?.end(how),
    close: async () => {
      isClosed = true
      const environments = [...pools.values()].flatMap(({ all }) => [...all])
      await Promise.all(environments.map((environment) => environment.close()))
      await Promise.all([...pools.values()].map(({ log }) => new Promise<void>((resolve) => log.end(() => resolve()))))
    },
  }
}

function createPool(definition: FunctionDefinition, logFolder: string): Pool {
  const log = openLogFile(join(logFolder, `${definition.name}.log`))
  // Two streams from every environment write to it.
  log.setMaxListeners(0)
  return { definition, log, idle: [], waiting: [], all: new Set(), busy: 0 }
}

async function borrow(pool: Pool): Promise<ExecutionEnvironment> {
  while (pool.busy >= maxEnvironments) await new Promise<void>((resolve) => pool.waiting.push(resolve))
  pool.busy += 1
  const idleEnvironment = pool.idle.pop()
  if (idleEnvironment !== undefined && !idleEnvironment.isDead) return idleEnvironment
  if (idleEnvironment !== undefined) pool.all.delete(idleEnvironment)
  const newEnvironment = startExecutionEnvironment(pool.definition, pool.log)
  pool.all.add(newEnvironment)
  return newEnvironment
}

function giveBack(pool: Pool, environment: ExecutionEnvironment): void {
  pool.busy -= 1
  if (environment.isDead) pool.all.delete(environment)
  else pool.idle.push(environment)
  pool.waiting.shift()?.()
}
