"""Settings, all from the environment. Unsafe values stop the start outside the demo."""

from __future__ import annotations

import secrets
import sys
from datetime import timedelta
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from competition.outages import BOUNDED

env = environ.FileAwareEnv()
"""Each variable may also name a file that holds it: SECRET_KEY_FILE for SECRET_KEY."""

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.str("PODIUM_DATA_DIR", default=str(BASE_DIR / "data")))

DEMO = env.bool("PODIUM_DEMO", default=False)
"""A site for one machine to try things on. Everywhere else the checks below stop an unsafe start."""

DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("PODIUM_HTTPS", default=not DEMO)

SHORTEST_SECRET = 40
PLACEHOLDERS = ("change", "insecure", "example", "secret-key", "your-")


def demo_secret() -> str:
    """The demo's own key, made once and kept in the data folder, so that a restart keeps people signed in."""
    path = DATA_DIR / "secret_key"
    DATA_DIR.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text()


def refuse_unsafe(secret: str, hosts: list[str], debug: bool) -> None:
    """Raise with a sentence that names the variable to set."""
    if not secret:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Set it to 50 or more random characters, and keep it."
        )
    if len(secret) < SHORTEST_SECRET or len(set(secret)) < 12:
        raise ImproperlyConfigured(
            f"SECRET_KEY is too short or too plain: use at least {SHORTEST_SECRET} random characters."
        )
    if any(word in secret.lower() for word in PLACEHOLDERS):
        raise ImproperlyConfigured(
            "SECRET_KEY looks like a placeholder. Set it to random characters of your own."
        )
    if debug:
        raise ImproperlyConfigured("DEBUG is on. It shows settings and queries to visitors: unset DEBUG.")
    if not hosts:
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS is not set. Set it to the site's host names, separated by commas."
        )
    if any("*" in host or host.startswith(".") for host in hosts):
        raise ImproperlyConfigured("ALLOWED_HOSTS has a wildcard. Name each host of the site.")


SECRET_KEY = env.str("SECRET_KEY", default="") or (demo_secret() if DEMO else "")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEMO else [])
if not DEMO:
    refuse_unsafe(SECRET_KEY, ALLOWED_HOSTS, DEBUG)
SITE_URL = env.str("SITE_URL", default=f"http{'s' if HTTPS else ''}://{ALLOWED_HOSTS[0]}").rstrip("/")
"""Where mail tells people to look."""

# Apps

INSTALLED_APPS = [
    "competition.apps.CompetitionConfig",
    # Simple: our desk registers what organizers need and nothing registers itself.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",  # allauth.mfa's templates use it
    "django.forms",  # its widgets' templates, for the renderer below
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
    "csp",
    "django_htmx",
]

MIDDLEWARE = [
    "competition.middleware.RequestId",
    "competition.middleware.BoundedBody",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "competition.middleware.PermissionsPolicy",
    "competition.middleware.KeptPrivate",
    "competition.middleware.MethodsExplained",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "competition.middleware.OrganizerSession",
]

ROOT_URLCONF = "competition.urls"
WSGI_APPLICATION = "competition.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # finds our widgets' templates too

# Database

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'podium.sqlite3'}")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    if DATABASES["default"]["NAME"] == str(DATA_DIR / "podium.sqlite3"):
        DATA_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["OPTIONS"] = {
        # A transaction takes the write lock at its start, so what it read is still true when it writes.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: a receipt that was given survives a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON;",
    }
else:
    DATABASES["default"].setdefault("CONN_MAX_AGE", 60)
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

# The cache holds rate limits, so it must be one for all processes.

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "competition.outages.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": BOUNDED,
        }
    }
    # The bell that wakes workers. The database is the queue of record: `competition/bell.py`.
    INSTALLED_APPS.append("django_rq")
    RQ_QUEUES = {
        "default": {
            "URL": REDIS_URL,
            "SERIALIZER": "rq.serializers.JSONSerializer",
            "DEFAULT_TIMEOUT": 3_600,  # what bounds work is the child's limits, not the bell's
        }
    }
    RQ = {"COMMIT_MODE": "auto"}
else:
    CACHES = {
        "default": {
            "BACKEND": "competition.domain.throttle.CountingDatabaseCache",
            "LOCATION": "shared_cache",
            # Culling drops counters with the rest: leave it no reason while limits count.
            "OPTIONS": {"MAX_ENTRIES": 200_000},
        }
    }

# People

AUTH_USER_MODEL = "competition.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "competition.authentication.Backend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

EMAIL_CONFIGURED = bool(env.str("EMAIL_URL", default=""))
if EMAIL_CONFIGURED:
    globals().update(env.email_url("EMAIL_URL"))
else:
    EMAIL_BACKEND = f"django.core.mail.backends.{'console' if DEMO else 'dummy'}.EmailBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="podium@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

ACCOUNT_ADAPTER = "competition.authentication.Adapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_CONFIGURED else "none"
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # whoever confirms has just given the password
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "/accounts/email/"
# Nobody learns who has an account. Without mail an address proves nothing, so it may have several:
# `docs/decisions/0011-an-address-proves-nothing.md`.
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_USER_DISPLAY = "competition.models.people.shown_name"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_EMAIL_NOTIFICATIONS = EMAIL_CONFIGURED  # of a new password, address or second factor
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # for another address
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300  # freezing, gold and re-evaluation ask again after this
ACCOUNT_RATE_LIMITS = {"signup": "20/m/ip,60/h/ip"}
ACCOUNT_FORMS = {
    "signup": "competition.forms.accounts.SignUpForm",
    "reset_password": "competition.forms.accounts.ResetForm",
}

# Organizers need a second factor outside the demo: `competition/middleware.py`.
MFA_TOTP_ISSUER = "Podium"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_CONFIGURED  # without mail no address can be verified

AXES_ONLY_ADMIN_SITE = True  # allauth limits its own log-in
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # trying on cannot keep an organizer out for longer
AXES_RESET_ON_SUCCESS = False  # or an account of one's own at the address would clear tries on another's
AXES_USERNAME_CALLABLE = "competition.middleware.username_tried"
AXES_LOCKOUT_CALLABLE = "competition.middleware.locked_out"
AXES_CLIENT_IP_CALLABLE = "competition.middleware.client_address"
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True  # tries are counted; who came when, and from where, is nobody's business
AXES_VERBOSE = False

# Cookies and headers

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CSRF_FAILURE_VIEW = "competition.views.errors.csrf_failure"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if env.bool("PODIUM_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ALLAUTH_TRUSTED_PROXY_COUNT = 1  # limits count visitors, not the proxy
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],  # allauth's picture of the TOTP secret is a data: image
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# Language, time, files

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "competition.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEMO  # the demo serves static files as they lie
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEMO
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "competition.logs.JSONFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": sys.stderr}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
    },
}
