# Mailgrade as an image: `docker build -t mailgrade .`
#
# The tag of the base image moves with Node's patches. For a build that can be repeated, name its
# digest: docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… -t mailgrade .
ARG NODE_IMAGE=node:24-bookworm-slim

# The bundler, what it needs, and what it makes.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/doh/package.json ./packages/doh/
COPY packages/core/package.json ./packages/core/
COPY packages/dmarc-reports/package.json ./packages/dmarc-reports/
COPY packages/operations/package.json ./packages/operations/
COPY packages/cli/package.json ./packages/cli/
COPY packages/server/package.json ./packages/server/
COPY packages/testing/package.json ./packages/testing/
RUN npm ci --no-audit --no-fund --workspace packages/server
COPY tsconfig.json ./
COPY scripts/build-data.mjs scripts/bundle.mjs scripts/on-demand.mjs ./scripts/
COPY scripts/licenses/ ./scripts/licenses/
COPY packages/doh/ ./packages/doh/
COPY packages/core/ ./packages/core/
COPY packages/operations/ ./packages/operations/
COPY packages/server/ ./packages/server/
RUN node scripts/bundle.mjs server

# What a bundle cannot contain: the native code of the embedded store, ready to run in its package.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/doh/package.json ./packages/doh/
COPY packages/core/package.json ./packages/core/
COPY packages/dmarc-reports/package.json ./packages/dmarc-reports/
COPY packages/operations/package.json ./packages/operations/
COPY packages/cli/package.json ./packages/cli/
COPY packages/server/package.json ./packages/server/
COPY packages/testing/package.json ./packages/testing/
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund --workspace packages/server

FROM ${NODE_IMAGE} AS service
LABEL org.opencontainers.image.title="Mailgrade" \
      org.opencontainers.image.description="Check whether anyone can forge mail from a domain, and get the exact DNS records that fix it." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
# Free checks only, so that the image runs without settings. PAYMENTS=live sells reports.
ENV PAYMENTS=off
# The payment ledger of a single live instance; name a volume to keep it: -v mailgrade:/data
ENV DATA_DIR=/data
WORKDIR /data
RUN chown 1000:1000 .
VOLUME /data
WORKDIR /app
COPY --from=packages /app/node_modules/ ./node_modules/
COPY --from=build /app/packages/server/dist/ ./packages/server/dist/
COPY --from=build /app/packages/server/data/ ./packages/server/data/
COPY packages/server/package.json ./packages/server/
# Read while it runs: pages, images and guides, and the zones that the examples in the documents come from.
COPY packages/server/public/ ./packages/server/public/
COPY packages/server/share/ ./packages/server/share/
COPY packages/server/zones/ ./packages/server/zones/
COPY docs/ ./docs/
# By number, so that Kubernetes can tell that it is not root. Everything else belongs to root: the
# process writes to /data only, and the root file system may be read-only.
USER 1000:1000
# Callers; and Prometheus, where METRICS_PORT=9464 is set.
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# In this form there is no shell in between: Node is process 1 and gets SIGTERM itself. It handles
# the signal and starts no other process, so that no init such as tini is needed.
# More room for short-lived objects saves a tenth of the CPU time of a report.
CMD ["node", "--max-semi-space-size=32", "packages/server/dist/main.js"]
