import { handler } from '../../lambdas/publish-results/index.ts'

/** Publishes results in a separate process, to measure time and memory of only the function. */
const inputs: readonly unknown[] = JSON.parse(process.argv[2] ?? '[]')

const before = process.memoryUsage.rss()
const times: number[] = []
for (const input of inputs) {
  const start = performance.now()
  const { next } = await handler(input)
  times.push(Math.round(performance.now() - start))
  if (next !== 'end') throw new TypeError(`the job continues with "${next}"`)
}
const peak = process.resourceUsage().maxRSS * 1024
const [first, again] = times
const measured = { 'first ms': first, 'again ms': again, 'peak MB': Math.round(peak / 1e6) }
process.stdout.write(`\n${JSON.stringify({ ...measured, 'grown MB': Math.round((peak - before) / 1e6) })}\n`)
