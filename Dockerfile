# One image, three commands: web (the default), `python manage.py worker`, `python manage.py sweeper`.

FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
RUN python -m venv /srv/venv
COPY requirements.txt /srv/requirements.txt
RUN /srv/venv/bin/pip install --require-hashes -r /srv/requirements.txt
WORKDIR /srv/podium
COPY manage.py ./
COPY scoring scoring
COPY competition competition
COPY templates templates
COPY static static
COPY fixtures fixtures
# Collected here, so that the running site writes no file. The key is thrown away with this line.
RUN SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(48))')" ALLOWED_HOSTS=build.invalid DATABASE_URL=sqlite://:memory: /srv/venv/bin/python manage.py collectstatic --noinput

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin podium && install -d -o podium -g podium /srv/secrets
COPY --from=build /srv/venv /srv/venv
COPY --from=build /srv/podium /srv/podium
WORKDIR /srv/podium
ENV PATH=/srv/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 WEB_CONCURRENCY=2
USER podium
EXPOSE 8000
CMD ["gunicorn", "competition.wsgi", "--bind=0.0.0.0:8000", "--threads=8", "--timeout=60", "--graceful-timeout=30", "--worker-tmp-dir=/dev/shm", "--no-control-socket", "--log-level=warning"]
